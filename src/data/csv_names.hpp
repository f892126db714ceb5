// SPDX-License-Identifier: Apache-2.0
//
// The first lines of a text file that are no rows: names, and units below them.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/csv.hpp"
#include "data/csv_line.hpp"
#include "data/encoding.hpp"

namespace credens::data {

/// Names as UTF-8. `latin1` keeps the first of them that was Latin-1.
std::vector<std::string> read_name_line(std::span<const Field> fields, const RowFormat& format, TextEncoding& encoding,
                                        std::string& latin1);

/// Throws data where the line of units does not fit to the names, usage where it holds numbers.
std::vector<std::string> read_unit_line(std::string_view line, const RowFormat& format, TextEncoding& encoding,
                                        std::string& latin1);

/// Takes the units out of the names of `format`; `units` are those of the line below. Throws data for equal names.
void take_units(RowFormat& format, std::vector<std::string>& units);

}  // namespace credens::data
