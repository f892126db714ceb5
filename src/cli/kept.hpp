// SPDX-License-Identifier: Apache-2.0
//
// Columns of a table that `--keep` names, as text.

#pragma once

#include <string>
#include <vector>

#include "cli/rows.hpp"

namespace credens::cli {

/// The name of a kept column with its unit, or its place where the table has no names.
std::string kept_heading(const data::Table& table, const std::string& column);

/// A number, a date or a word as the table has it; empty where it is missing.
std::string kept_text(const Rows& rows, std::size_t col, double value);

/// The kept cells of each row as a table has them, each with a delimiter after it.
std::vector<std::string> kept_cells(const Rows& rows, const std::vector<std::string>& columns);

}  // namespace credens::cli
