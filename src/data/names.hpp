// SPDX-License-Identifier: Apache-2.0
//
// Names of columns. They end up in JSON and in headers of CSV files, so they are UTF-8 on one line.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace credens::data {

bool is_utf8(std::string_view text);

/// A byte below 0x20 or 0x7f.
bool has_control_character(std::string_view text);

/// Positions of the first name that occurs again, and of its second occurrence.
std::optional<std::pair<std::size_t, std::size_t>> first_duplicate(std::span<const std::string> names);

/// "1 field", "2 fields".
std::string count_of(std::size_t count, std::string_view noun);

/// `y`, or `y0`, `y1`, ....
std::vector<std::string> default_target_names(std::size_t count);

}  // namespace credens::data
