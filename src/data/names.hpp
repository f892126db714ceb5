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

/// A byte below 0x20 or 0x7f.
bool has_control_character(std::string_view text);

/// Positions of the first name that occurs again, and of its second occurrence.
std::optional<std::pair<std::size_t, std::size_t>> first_duplicate(std::span<const std::string> names);

/// `data.csv:17:3 (age)`: a cell of a text file by its line (from 1) and field (given from 0), with the name of the
/// column if it has one.
std::string field_place(const std::string& source, std::span<const std::string> names, std::size_t line,
                        std::size_t field);

/// "1 field", "2 fields".
std::string count_of(std::size_t count, std::string_view noun);

/// `column "age"`, or `column 3 (counted from 0)` where there is no name; `positions` may be empty if all have names.
std::vector<std::string> column_labels(std::span<const std::string> names, std::span<const std::size_t> positions);

/// One of `labels`, or by its place where there are none.
std::string label_of(std::size_t col, std::span<const std::string> labels);

/// `y`, or `y0`, `y1`, ....
std::vector<std::string> default_target_names(std::size_t count);

}  // namespace credens::data
