// SPDX-License-Identifier: Apache-2.0
//
// Rows of numbers in delimited text. Every line is a row, so any block of whole lines can be read without the others.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/csv_cell.hpp"
#include "data/csv_dialect.hpp"
#include "data/csv_line.hpp"
#include "data/table.hpp"

namespace credens::data {

/// What is the same for all rows of a file.
struct RowFormat {
  std::string source;
  std::vector<std::string> names;  ///< empty: no header
  Dialect dialect;
  std::size_t cols = 0;

  std::size_t first_line() const { return dialect.header ? 2 : 1; }  ///< that of row 0
};

/// Reads blocks of lines, one block at a time; threads take one reader each and the faults of the lowest row.
class RowReader {
 public:
  explicit RowReader(const RowFormat& format) : format_(format), faults_(format.cols) {}

  /// The rows of `lines`, which are rows `first_row`, ... of the table, to the front of `values`, row after row. Values
  /// of a line are written up to the number of its fields, then a line that has another number than there are columns
  /// throws data.
  void read(std::string_view lines, std::size_t first_row, std::span<double> values);

  /// One per column: its first cell so far that held no number.
  const std::vector<std::optional<ColumnFault>>& faults() const { return faults_; }

 private:
  bool read_plain_row(std::string_view line, double* values) const;
  void read_row(std::string_view line, std::size_t row, double* values);
  void note_fault(const Cell& cell, std::size_t row, std::size_t col);

  const RowFormat& format_;
  std::vector<std::optional<ColumnFault>> faults_;
  std::vector<Field> fields_;  ///< of the line being read; kept for its memory
};

/// The fields of a line; a fault of its quotes and a carriage return within it throw data.
void cut_line(const RowFormat& format, std::string_view line, std::size_t line_number, std::vector<Field>& fields);

}  // namespace credens::data
