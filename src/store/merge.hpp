// SPDX-License-Identifier: Apache-2.0
//
// Parts of an ensemble that were trained apart become one, the same bytes as if trained together.

#pragma once

#include <credens/ensemble.hpp>

#include <span>
#include <string>
#include <utility>

namespace credens::store {

/// Parts with the names used in sentences. Throws model naming the part that is foreign (other options or data), the
/// member that is missing or that comes twice.
Ensemble merge(std::span<const std::pair<std::string, Ensemble>> parts);

}  // namespace credens::store
