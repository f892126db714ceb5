// SPDX-License-Identifier: Apache-2.0
//
// Rows of numbers in delimited text. Every line is a row, so any block of whole lines can be read without the others.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/csv_line.hpp"
#include "data/dialect.hpp"

namespace credens::data {

/// Properties that all rows of a file share.
struct RowFormat {
  std::string source;
  std::vector<std::string> names;  ///< empty: no header
  Dialect dialect;
  std::size_t cols = 0;

  /// The line of row 0.
  std::size_t first_line() const { return 1 + (dialect.header ? 1 : 0) + (dialect.unit_line ? 1 : 0); }
};

/// The first cell of a column within a block of lines that holds no number.
struct CellFault {
  std::size_t row = 0;  ///< within the block
  std::size_t col = 0;
  CellKind kind = CellKind::text;
  std::string text = {};
};

/// The rows of a block of whole lines. It does not know which lines of the file they are: whoever does makes the
/// sentences about what is wrong with them. A reader is used again for its memory.
class RowReader {
 public:
  explicit RowReader(const RowFormat& format) : format_(&format) {}

  /// Reads up to the first line that is no row.
  void read(std::string_view lines);

  std::size_t rows() const { return values_.size() / format_->cols; }
  const std::vector<double>& values() const { return values_; }              ///< row after row; NaN at faults
  const std::vector<CellFault>& faults() const { return faults_; }           ///< at most one per column
  const std::optional<std::string_view>& broken() const { return broken_; }  ///< the line that is no row

 private:
  template <char decimal>
  bool read_plain_row(std::string_view line, const char* readable_end, double* values) const;
  bool read_row(std::string_view line, std::size_t row, double* values);
  void note_fault(std::size_t row, std::size_t col, CellKind kind);

  const RowFormat* format_;
  std::vector<double> values_;
  std::vector<CellFault> faults_;
  std::vector<bool> is_faulty_;  ///< by column; empty: none is
  std::optional<std::string_view> broken_;
  std::vector<Field> fields_;
};

/// The fields of a line; a fault of its quotes, a carriage return or a zero byte within it throw data.
void cut_line(const RowFormat& format, std::string_view line, std::size_t line_number, std::vector<Field>& fields);

/// As `cut_line`, for a line that must be a row: a blank one and one with another number of fields than there are
/// columns throw as well.
void cut_row(const RowFormat& format, std::string_view line, std::size_t line_number, std::vector<Field>& fields);

/// `data.csv:17:3 (age): "abc" is not a number`; `row` is that of the table.
std::string sentence_of(const RowFormat& format, const CellFault& fault, std::size_t row);

}  // namespace credens::data
