// SPDX-License-Identifier: Apache-2.0
//
// Columns and table formats as words of the command line.

#pragma once

#include <credens/dataset.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.hpp"

namespace credens::cli {

/// `a,b`, or `"a, with comma",b` with quotes as in CSV files; throws usage.
std::vector<std::string> parse_columns(std::string_view text);
std::string parse_column(std::string_view text);  ///< the same with one column only
std::string columns_text(const std::vector<std::string>& columns);

/// The name of a column as a cell of a CSV header: quoted where it must be.
std::string csv_cell(const std::string& text);

bool parse_header(std::string_view text);     ///< "yes" or "no"; throws usage
char parse_delimiter(std::string_view text);  ///< `,` `;` `tab` `blank`; throws usage
std::string delimiter_text(char delimiter);

inline constexpr std::string_view column_expects = "one column by name or 0-based index";
inline constexpr std::string_view columns_expects = "columns by name or 0-based index, separated by commas";
inline constexpr std::string_view header_expects = "yes or no";
inline constexpr std::string_view delimiter_expects = "one of , ; tab blank";

/// An option that takes columns.
void columns_option(Arguments& arguments, std::string name, std::vector<std::string>& into, std::string help);

/// An option that takes one column.
void column_option(Arguments& arguments, std::string name, std::string& into, std::string help);

/// `--header` and `--delimiter`.
void format_options(Arguments& arguments, TableFormat& format);

}  // namespace credens::cli
