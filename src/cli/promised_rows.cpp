// SPDX-License-Identifier: Apache-2.0

#include "cli/promised_rows.hpp"

#include <cmath>

#include "cli/kept.hpp"

namespace credens::cli {

namespace {

/// Numbers as JSON has them, so that decimal commas name the same groups as decimal points.
std::string group_name(const Rows& rows, std::size_t row, std::size_t col, const std::string& column) {
  const double value = rows.block.table->values(row, col);
  base::require(!std::isnan(value), ErrorCode::data, "{}: {} is missing, expected a group",
                data::place_of(*rows.block.table, row, col), column);
  return rows.block.file->kind(col) == ColumnKind::number ? base::to_text(value) : kept_text(rows, col, value);
}

}  // namespace

std::vector<std::string> group_names(const Rows& rows, const std::string& column) {
  const std::size_t col = data::find_column(*rows.block.table, column);
  const data::ColumnFault* const fault = data::first_fault(rows.block.table->faults, {&col, 1});
  if (fault != nullptr) throw Error(ErrorCode::data, fault->sentence);
  std::vector<std::string> names;
  for (std::size_t row = 0; row < rows.count(); ++row) {
    names.push_back(group_name(rows, rows.block.table_row(row), col, column));
  }
  return names;
}

std::vector<std::string> group_names(const Rows& rows, const Promise& promise) {
  if (promise.column.empty()) return {};
  base::require(rows.block.table != nullptr, ErrorCode::usage,
                "intervals are promised by the column {}, but --outputs gives arrays", promise.column);
  std::vector<std::string> names = group_names(rows, promise.column);
  for (std::size_t row = 0; row < names.size(); ++row) {
    base::require(promise.find(names[row]) != nullptr, ErrorCode::data,
                  "{}: {} is {}, for which nothing is promised: no calibration row had it",
                  data::place_of(*rows.block.table, rows.block.table_row(row),
                                 data::find_column(*rows.block.table, promise.column)),
                  promise.column, base::quoted(names[row]));
  }
  return names;
}

}  // namespace credens::cli
