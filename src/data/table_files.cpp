// SPDX-License-Identifier: Apache-2.0

#include "data/table_files.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "base/file.hpp"
#include "data/compression.hpp"
#include "data/npy.hpp"
#include "data/table.hpp"

namespace credens::data {

namespace {

struct Content {
  std::string source;
  std::string bytes;
};

Content read_content(const std::filesystem::path& path) {
  std::string source = path == "-" ? "standard input" : path.string();
  std::string bytes = decompress(base::read_file(path), source);
  return {std::move(source), std::move(bytes)};
}

void note_faults(Table& table) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::size_t col = 0; col < table.cols(); ++col) {
      if (std::isfinite(table.values(row, col))) continue;
      table.faults.resize(table.cols());
      if (table.faults[col]) continue;
      table.faults[col] = {.row = row,
                           .sentence = fmt::format("{} is {}, expected a finite number", place_of(table, row, col),
                                                   table.values(row, col))};
    }
  }
}

Table npy_table(const Content& content, const TableFormat& format) {
  base::require(!format.header && !format.delimiter, ErrorCode::usage,
                "{}: an array has neither header nor delimiter, but one was given", content.source);
  NpyArray array = parse_npy(content.bytes, content.source);
  const std::size_t rank = array.shape.size();
  base::require(rank == 1 || rank == 2, ErrorCode::data, "{}: an array of rank {}, expected [rows] or [rows, columns]",
                content.source, rank);
  const std::size_t rows = array.shape[0];
  const std::size_t cols = rank == 2 ? array.shape[1] : 1;
  base::require(rows > 0 && cols > 0, ErrorCode::data, "{}: {} rows and {} columns, expected at least one of each",
                content.source, rows, cols);
  Table table{.source = content.source, .values = Matrix(rows, cols, std::move(array.values))};
  note_faults(table);
  return table;
}

/// `data.npy`, `data.npy.gz`, ....
bool is_named_npy(std::filesystem::path path) {
  const auto extension = path.extension();
  if (extension == ".gz" || extension == ".xz" || extension == ".zst") path.replace_extension();
  return path.extension() == ".npy";
}

}  // namespace

Table read_text_table(const std::filesystem::path& path, const TableFormat& format) {
  Content content = read_content(path);
  return parse_csv(content.bytes, std::move(content.source), format);
}

Table read_npy_table(const std::filesystem::path& path, const TableFormat& format) {
  return npy_table(read_content(path), format);
}

Table read_table(const std::filesystem::path& path, const TableFormat& format) {
  Content content = read_content(path);
  if (is_named_npy(path) || is_npy(content.bytes)) return npy_table(content, format);
  return parse_csv(content.bytes, std::move(content.source), format);
}

}  // namespace credens::data
