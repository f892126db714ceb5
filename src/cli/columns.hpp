// SPDX-License-Identifier: Apache-2.0
//
// Columns and table formats as words of the command line.

#pragma once

#include <credens/dataset.hpp>

#include <string>
#include <vector>

#include "cli/arguments.hpp"

namespace credens::cli {

/// The header of a CSV file; parsed as a list of columns it gives the same columns.
std::string columns_text(const std::vector<std::string>& columns);

/// The parts that columns play, and the format of the table.
base::OptionTable<DatasetOptions> dataset_options();

/// An option that takes columns: `a,b`, or `"a, with comma",b` with quotes as in CSV files.
void columns_option(Arguments& arguments, const std::string& flag, std::vector<std::string>& into, std::string help);

/// An option that takes one column.
void column_option(Arguments& arguments, const std::string& flag, std::string& into, std::string help);

/// `--header` and `--delimiter`.
void format_options(Arguments& arguments, TableFormat& format);

}  // namespace credens::cli
