// SPDX-License-Identifier: Apache-2.0
//
// Rows of numbers in delimited text. Every line is a row, so any block of whole lines can be read without the others.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/csv_dialect.hpp"
#include "data/csv_line.hpp"

namespace credens::data {

/// What is the same for all rows of a file.
struct RowFormat {
  std::string source;
  std::vector<std::string> names;  ///< empty: no header
  Dialect dialect;
  std::size_t cols = 0;
};

/// Reads blocks of lines; only the buffer that it reuses belongs to one block at a time, so threads take one reader
/// each.
class RowReader {
 public:
  explicit RowReader(const RowFormat& format) : format_(format) {}

  /// The rows of `lines`, the first of which is line `first_line` (from 1) of the file, to the front of `values`, row
  /// after row. Throws data before it would write beyond two characters per value.
  void read(std::string_view lines, std::size_t first_line, std::span<double> values);

 private:
  bool read_plain_row(std::string_view line, double* values) const;
  void read_row(std::string_view line, std::size_t line_number, double* values);

  const RowFormat& format_;
  std::vector<Field> fields_;
};

/// The fields of a line; a fault of its quotes throws data.
void cut_line(const RowFormat& format, std::string_view line, std::size_t line_number, std::vector<Field>& fields);

/// `data.csv:17:3 (age)`, with the 0-based position of a field and, where there is one, its name.
std::string field_place(const RowFormat& format, std::size_t line_number, std::size_t field);

}  // namespace credens::data
