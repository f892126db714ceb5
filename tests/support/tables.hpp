// SPDX-License-Identifier: Apache-2.0
//
// Whole tables in memory.

#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/csv_reader.hpp"
#include "data/table.hpp"

namespace credens::test {

/// All rows from the first on.
inline data::Table read_all(data::RowPortions& portions) {
  std::vector<double> values;
  while (portions.append(values)) continue;
  data::Table table = portions.header();
  const std::size_t rows = values.size() / table.cols();
  table.values = Matrix(rows, table.cols(), std::move(values));
  table.faults = portions.faults();
  table.missing = portions.missing();
  return table;
}

inline data::Table read_table(const std::filesystem::path& path, const TableFormat& format = {}) {
  return read_all(*data::open_table(path, format));
}

inline data::Table parse_csv(std::string_view text, std::string source, const TableFormat& format = {}) {
  data::CsvReader reader(std::make_unique<data::ByteSource>(text, std::move(source)), format);
  return read_all(reader);
}

}  // namespace credens::test
