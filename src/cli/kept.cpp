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

}  // namespace credens::cli
