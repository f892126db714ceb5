// SPDX-License-Identifier: Apache-2.0
//
// What programs and people read of a result: a JSON document, or names and values.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace credens::report {

/// Keys keep their order. Numbers round-trip; what is not finite becomes null.
using Json = nlohmann::ordered_json;

/// What a person reads: names and values.
using Lines = std::vector<std::pair<std::string, std::string>>;

}  // namespace credens::report
