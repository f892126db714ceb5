// SPDX-License-Identifier: Apache-2.0

#include "cli/kept.hpp"

#include <cmath>

#include "cli/prediction_table.hpp"
#include "data/date.hpp"
#include "data/units.hpp"

namespace credens::cli {

std::string kept_heading(const data::Table& table, const std::string& column) {
  const std::size_t position = data::find_column(table, column);
  return table.names.empty() ? fmt::format("column_{}", position)
                             : data::label_with_unit(table.names[position], data::unit_of(table, position));
}

std::string kept_text(const Rows& rows, std::size_t col, double value) {
  if (std::isnan(value)) return {};
  switch (rows.block.file->kind(col)) {
    case ColumnKind::number:
      return number_text(value, rows.block.table->decimal);
    case ColumnKind::date:
      return data::date_text(value, rows.block.file->has_zone(col).value_or(false));
    case ColumnKind::category:
      break;
  }
  return rows.block.file->levels(col)[static_cast<std::size_t>(value)];
}

namespace {

std::string kept_cell(const Rows& rows, std::size_t col, double value) {
  const std::string text = kept_text(rows, col, value);
  const bool is_word = rows.block.file->kind(col) == ColumnKind::category;
  return is_word ? csv_cell(text, delimiter_of(rows.block.table->decimal)) : text;
}

}  // namespace

std::vector<std::string> kept_cells(const Rows& rows, const std::vector<std::string>& columns) {
  std::vector<std::string> cells(rows.count());
  for (const std::string& column : columns) {
    const std::size_t col = data::find_column(*rows.block.table, column);
    const data::ColumnFault* const fault = data::first_fault(rows.block.table->faults, {&col, 1});
    if (fault != nullptr) throw Error(ErrorCode::data, fault->sentence);
    for (std::size_t row = 0; row < cells.size(); ++row) {
      cells[row] += kept_cell(rows, col, rows.block.table->values(rows.block.table_row(row), col)) +
                    delimiter_of(rows.block.table->decimal);
    }
  }
  return cells;
}

}  // namespace credens::cli
