// SPDX-License-Identifier: Apache-2.0
//
// A rectangular table of doubles with optional column names, read from text or .npy in portions of rows. A missing cell
// is NaN, a word the index of its level. Columns may hold other things as long as nobody uses them.

#pragma once

#include <credens/dataset.hpp>
#include <credens/matrix.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/byte_source.hpp"

namespace credens::data {

/// The first cell of a column that cannot be used, or is missing, and the sentence about it.
struct ColumnFault {
  std::size_t row = 0;  ///< of the file
  std::string sentence;
  bool is_word = false;  ///< text where a number was expected
  bool is_date = false;  ///< that text is a day or time
};

/// One for each column that has one; empty: none has.
using ColumnFaults = std::vector<std::optional<ColumnFault>>;

/// How the cells of a column are read.
struct ColumnReading {
  ColumnKind kind = ColumnKind::number;
  std::vector<std::string> levels = {};  ///< words that are known
  bool takes_new_levels = true;          ///< else the code of any other word is the number of levels
  std::optional<bool> has_zone = {};     ///< of dates in training; none: all have a zone here, or none has
  bool is_copied = false;                ///< words that are not known need not be remembered after their rows
};

/// How many of a column's first cells hold what.
struct ColumnContent {
  std::size_t numbers = 0;
  std::size_t dates = 0;
  std::size_t words = 0;
};

struct Table {
  std::string source;              ///< how sentences name it: the path, or "standard input"
  std::vector<std::string> names;  ///< empty: no header
  Matrix values;
  std::vector<std::string> units = {};     ///< one per column, which may be empty, or none at all
  std::vector<std::string> warnings = {};  ///< one sentence each, of what was read otherwise than one might expect
  char decimal = '.';                      ///< the mark before the fraction of a number, in a text file
  std::size_t first_line = 0;              ///< the line of the file's first row in a text file; 0: an array
  ColumnFaults faults;                     ///< cells that are neither usable nor missing; their values are NaN
  ColumnFaults missing;                    ///< first missing cells
  std::vector<ColumnKind> kinds;           ///< one per column; empty: all are numbers
  std::vector<std::vector<std::string>> levels;  ///< one list per column; empty: no column holds words
  std::size_t first_row = 0;                     ///< the place of row 0 in its file, for a block of a table
  std::vector<std::optional<bool>> zones = {};   ///< whether dates have a zone, one per column; empty: not known
  std::string first_text = {};                   ///< the first line of a text file, where it is taken for a row

  std::size_t rows() const { return values.rows(); }
  std::size_t cols() const { return values.cols(); }
  ColumnKind kind(std::size_t col) const { return kinds.empty() ? ColumnKind::number : kinds[col]; }
  std::optional<bool> has_zone(std::size_t col) const { return zones.empty() ? std::nullopt : zones[col]; }
};

/// The unit of a column; empty: none is known.
std::string unit_of(const Table& table, std::size_t col);

/// Names with units, `length [mm]`, where there are units.
std::vector<std::string> labels_with_units(const Table& table);

/// The position of the column with this name, which may have its unit behind it, and with this unit, if one is given
/// and another column has the same name.
std::optional<std::size_t> find_name(const Table& table, std::string_view name, std::string_view unit = {});

/// The 0-based position of a column given by name, or by 0-based index (negative from the end); names win over indices.
/// Throws data: `source: no column "x"; did you mean y?`.
std::size_t find_column(const Table& table, std::string_view column);

/// Throws data with the first fault, by row, that one of these columns has; a missing cell is one too.
void check_usable(const Table& table, std::span<const std::size_t> columns);

/// The first fault, by row, that one of these columns has among `faults`; null: none.
const ColumnFault* first_fault(const ColumnFaults& faults, std::span<const std::size_t> columns);

/// How sentences name a cell: `data.csv:17:3 (age)` in a text file, `data.npy: row 16, column 2 (counted from 0)` in an
/// array.
std::string place_of(const Table& table, std::size_t row, std::size_t col);

/// Columns by name or index, [N x columns.size()].
Matrix select_columns(const Table& table, std::span<const std::string> columns);

/// Columns by position, [N x positions.size()]; throws data where a cell is missing or no number.
Matrix take_columns(const Table& table, std::span<const std::size_t> positions);

/// As they are, into memory that is kept.
void take_columns(const Table& table, std::span<const std::size_t> positions, Matrix& taken);

/// A byte below 0x20 or 0x7f. Names of columns end up in JSON and in headers of CSV files, so they have none.
bool has_control_character(std::string_view text);

/// Positions of the first name that occurs again, and of its second occurrence.
std::optional<std::pair<std::size_t, std::size_t>> first_duplicate(std::span<const std::string> names);

/// `data.csv:17:3 (age)`: a cell of a text file by its line (from 1) and field (given from 0), with the name of the
/// column if it has one.
std::string field_place(const std::string& source, std::span<const std::string> names, std::size_t line,
                        std::size_t field);

/// "1 field", "2 fields".
std::string count_of(std::size_t count, std::string_view noun);

/// One of `labels`, or by its place where there are none.
std::string label_of(std::size_t col, std::span<const std::string> labels);

/// A number that stands for a text where it only matters which texts are equal: 52 bits of its XXH3, negative, so that
/// it is no label of a numbered group, and a whole number that a double holds exactly.
double word_number(std::string_view text);

/// `y`, or `y0`, `y1`, ....
std::vector<std::string> default_target_names(std::size_t count);

/// Turns whole rows, as they lie in a file, into the values that a reader gives. Threads may share it.
using RowTranslation = std::function<void(std::span<double> rows)>;

/// A file format as others see it: the rows of a table in portions, from the first to the last, again if need be.
class RowPortions {
 public:
  RowPortions() = default;
  RowPortions(const RowPortions&) = delete;
  RowPortions& operator=(const RowPortions&) = delete;
  virtual ~RowPortions() = default;

  virtual const Table& header() const = 0;  ///< source, names, columns and first line; no rows

  /// By the first rows.
  virtual std::vector<ColumnContent> contents() = 0;

  /// One for each column, before the first portion; all are numbers where nothing is said. Throws usage for an array,
  /// which has numbers only.
  virtual void read_as(std::vector<ColumnReading> columns) = 0;

  virtual ColumnKind kind(std::size_t col) const = 0;  ///< as which it is read

  /// Whether the dates of a column that have been read so far have a zone; nothing: not known.
  virtual std::optional<bool> has_zone(std::size_t) const { return std::nullopt; }

  /// The words of a column that have been read so far, in the order of their codes.
  virtual const std::vector<std::string>& levels(std::size_t col) const = 0;

  /// Says that nobody needs the values that were appended so far. Columns that are merely copied forget their words.
  virtual void forget_words() {}

  /// Appends the values of the next rows. False: there are no more.
  virtual bool append(std::vector<double>& values) = 0;

  /// The first fault, and the first missing cell, of each column in what has been read so far.
  virtual const ColumnFaults& faults() const = 0;
  virtual const ColumnFaults& missing() const = 0;

  /// Rows of the whole file, without reading its cells; the portions go on where they were. Not in one pass.
  virtual std::size_t count_rows() = 0;

  /// As `count_rows`, but a guess from what has been read so far is enough; 0: there is none.
  virtual std::size_t guess_rows() const = 0;

  virtual void rewind() = 0;  ///< not in one pass

  /// For whoever reads the file's rows at any place; empty: they are the values.
  virtual RowTranslation translation() const { return {}; }
};

enum class FileKind { any, text, npy };  ///< any: recognised by extension and content

/// A file, unpacked and ready to be read; `-` is standard input.
std::unique_ptr<RowPortions> open_table(const std::filesystem::path& path, const TableFormat& format,
                                        FileKind kind = FileKind::any, Passes passes = Passes::many);

}  // namespace credens::data
