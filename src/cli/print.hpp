// SPDX-License-Identifier: Apache-2.0
//
// Results go to standard output, everything else to standard error.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace credens::cli {

/// Keys keep their order. Numbers round-trip; what is not finite becomes null.
using Json = nlohmann::ordered_json;

/// What a person reads: names and values.
using Lines = std::vector<std::pair<std::string, std::string>>;

/// Standard output, at once; throws io where it cannot be written.
void print(std::string_view text);
void print_json(const Json& document);
void print_lines(const Lines& lines);  ///< values aligned

/// A line on standard error. Where that is closed there is nobody left to tell.
void print_error(std::string_view line);

}  // namespace credens::cli
