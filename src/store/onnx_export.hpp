// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <credens/ensemble.hpp>

#include <string>

namespace credens::store {

/// The bytes of an ONNX file. Throws usage for an ensemble without networks, failure for one too large.
std::string encode_onnx(const Ensemble& ensemble);

}  // namespace credens::store
