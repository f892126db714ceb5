// SPDX-License-Identifier: Apache-2.0
//
// Rows of numbers, dates and words in delimited text. Every line is a row, so any block of whole lines can be read
// without the others.

#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/csv_line.hpp"
#include "data/dialect.hpp"
#include "data/words.hpp"

namespace credens::data {

/// Properties that all rows of a file share.
struct RowFormat {
  std::string source;
  std::vector<std::string> names;  ///< empty: no header
  Dialect dialect;
  std::size_t cols = 0;
  std::vector<std::string> missing = {};        ///< cells that stand for a missing value, beside the usual ones
  std::vector<ColumnKind> kinds = {};           ///< empty: all columns are numbers
  std::vector<std::optional<bool>> zones = {};  ///< one for each of the kinds: whether dates of training have a zone

  /// The line of row 0.
  std::size_t first_line() const { return 1 + (dialect.header ? 1 : 0) + (dialect.unit_line ? 1 : 0); }
};

/// The first cell of a column within a block of lines that is no use, or missing.
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
  explicit RowReader(const RowFormat& format);

  /// Reads up to the first line that is no row. `known` has the words of each column, where some are read as words.
  void read(std::string_view lines, std::span<const WordIndex> known = {});

  std::size_t rows() const { return values_.size() / format_->cols; }
  std::vector<double>& values() { return values_; }                 ///< row after row; NaN at faults, BlockWords' codes
  const std::vector<CellFault>& faults() const { return faults_; }  ///< at most one per column
  const std::vector<CellFault>& missing() const { return missing_; }         ///< the same of missing cells
  const std::vector<BlockWords>& words() const { return words_; }            ///< by column; empty: there are none
  const std::optional<std::string_view>& broken() const { return broken_; }  ///< the line that is no row

  /// The first row with this value in a column; the last row where none has it.
  std::size_t row_of(std::size_t col, double value) const;

  /// Whether the column of dates has a time with a zone (1), without (0), or no time yet (-1).
  int zone(std::size_t col) const { return zones_.empty() ? -1 : zones_[col]; }

 private:
  ColumnKind kind_of(std::size_t col) const {
    return format_->kinds.empty() ? ColumnKind::number : format_->kinds[col];
  }
  bool is_missing_number(double value) const {
    return std::find(missing_numbers_.begin(), missing_numbers_.end(), value) != missing_numbers_.end();
  }
  void start(std::span<const WordIndex> known);
  template <char decimal, bool is_mixed>
  void read_lines(std::string_view lines);
  template <char decimal, bool is_mixed>
  bool read_plain_row(std::string_view line, const char* readable_end, std::size_t row, double* values);
  const char* read_plain_text(const char* first, const char* end, std::size_t row, std::size_t col, double& value);
  bool read_row(std::string_view line, std::size_t row, double* values);
  double read_text(std::string_view text, bool is_kept, std::size_t row, std::size_t col);
  double read_number_cell(std::string_view text, std::size_t row, std::size_t col);
  double read_date_cell(std::string_view text, std::size_t row, std::size_t col);
  double note_missing(std::string_view text, std::size_t row, std::size_t col);
  double note_fault(std::string_view text, std::size_t row, std::size_t col, CellKind kind);

  const RowFormat* format_;
  std::vector<double> missing_numbers_;  ///< values of the format's missing cells that look like numbers
  std::vector<double> values_;
  std::vector<CellFault> faults_;
  std::vector<CellFault> missing_;
  std::vector<bool> is_faulty_;   ///< by column; empty: none is
  std::vector<bool> is_missing_;  ///< the same
  std::vector<BlockWords> words_;
  std::vector<int> zones_;
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
