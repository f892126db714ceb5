// SPDX-License-Identifier: Apache-2.0
//
// The two forms of a result: a JSON document for programs, names and values for people.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace credens::report {

/// Keys keep their order. Numbers round-trip; what is not finite becomes null.
using Json = nlohmann::ordered_json;

/// Names and values, one pair per line.
using Lines = std::vector<std::pair<std::string, std::string>>;

}  // namespace credens::report
