// SPDX-License-Identifier: Apache-2.0
//
// Rows of numbers, dates and words in delimited text. Every line is a row, so any block of whole lines can be read
// without the others.

#pragma once

#include <cstddef>
#include <optional>
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
  std::vector<std::string> missing = {};  ///< cells that stand for a missing value, beside the usual ones
  std::vector<ColumnKind> kinds = {};     ///< empty: all columns are numbers

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
  explicit RowReader(const RowFormat& format) : format_(&format) {}

  /// Reads up to the first line that is no row.
  void read(std::string_view lines);

  std::size_t rows() const { return values_.size() / format_->cols; }
  std::vector<double>& values() { return values_; }                   ///< row after row; NaN at faults, codes of words
  const std::vector<CellFault>& faults() const { return faults_; }    ///< at most one per column
  const std::vector<CellFault>& missing() const { return missing_; }  ///< the same of missing cells
  const std::vector<BlockWords>& words() const { return words_; }     ///< by column; empty: there are none
  const std::optional<std::string_view>& broken() const { return broken_; }  ///< the line that is no row

  /// Whether the column of dates has a time with a zone (1), without (0), or no time yet (-1).
  int zone(std::size_t col) const { return zones_.empty() ? -1 : zones_[col]; }

 private:
  ColumnKind kind_of(std::size_t col) const {
    return format_->kinds.empty() ? ColumnKind::number : format_->kinds[col];
  }
  template <char decimal>
  bool read_plain_row(std::string_view line, const char* readable_end, double* values) const;
  bool read_mixed_row(std::string_view line, const char* readable_end, std::size_t row, double* values);
  bool read_row(std::string_view line, std::size_t row, double* values);
  double read_text(std::string_view text, bool is_kept, std::size_t row, std::size_t col);
  double read_number_cell(std::string_view text, std::size_t row, std::size_t col);
  double read_date_cell(std::string_view text, std::size_t row, std::size_t col);
  double note_missing(std::string_view text, std::size_t row, std::size_t col);
  double note_fault(std::string_view text, std::size_t row, std::size_t col, CellKind kind);

  const RowFormat* format_;
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
