// SPDX-License-Identifier: Apache-2.0

#include "data/table.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/names.hpp"

namespace credens::data {

namespace {

std::optional<std::size_t> find_name(const Table& table, std::string_view name) {
  const auto found = std::find(table.names.begin(), table.names.end(), name);
  if (found == table.names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - table.names.begin());
}

std::size_t find_index(const Table& table, long long index) {
  const auto cols = static_cast<long long>(table.cols());
  base::require(index >= -cols && index < cols, ErrorCode::data, "{}: no column {}: the table has {}", table.source,
                index, count_of(table.cols(), "column"));
  return static_cast<std::size_t>(index < 0 ? index + cols : index);
}

}  // namespace

std::string place_of(const Table& table, std::size_t row, std::size_t col) {
  row += table.first_row;
  if (table.first_line == 0) return fmt::format("{}: row {}, column {} (counted from 0)", table.source, row, col);
  return field_place(table.source, table.names, table.first_line + row, col);
}

void check_usable(const Table& table, std::span<const std::size_t> columns) {
  const ColumnFault* first = nullptr;
  for (const std::size_t column : columns) {
    if (column >= table.faults.size() || !table.faults[column]) continue;
    if (!first || table.faults[column]->row < first->row) first = &*table.faults[column];
  }
  if (first) throw Error(ErrorCode::data, first->sentence);
}

std::size_t find_column(const Table& table, std::string_view column) {
  if (const auto position = find_name(table, column)) return *position;
  if (const auto index = base::parse_integer(column)) return find_index(table, *index);
  base::require(!table.names.empty(), ErrorCode::data, "{}: no column {}: the table has no header, expected an index",
                table.source, base::quoted(column));
  base::fail(ErrorCode::data, "{}: no column {}{}", table.source, base::quoted(column),
             base::suggestion(column, table.names));
}

Matrix select_columns(const Table& table, std::span<const std::string> columns) {
  std::vector<std::size_t> positions;
  for (const std::string& column : columns) positions.push_back(find_column(table, column));
  return take_columns(table, positions);
}

Matrix take_columns(const Table& table, std::span<const std::size_t> positions) {
  Matrix taken;
  take_columns(table, positions, taken);
  return taken;
}

void take_columns(const Table& table, std::span<const std::size_t> positions, Matrix& taken) {
  check_usable(table, positions);
  taken.resize(table.rows(), positions.size());
  for (std::size_t i = 0; i < positions.size();) {
    std::size_t end = i + 1;  // of columns that follow one another in the table too
    while (end < positions.size() && positions[end] == positions[end - 1] + 1) ++end;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      std::ranges::copy(table.values.row(row).subspan(positions[i], end - i), taken.row(row).subspan(i).begin());
    }
    i = end;
  }
}

}  // namespace credens::data
