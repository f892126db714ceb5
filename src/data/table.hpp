// SPDX-License-Identifier: Apache-2.0
//
// A rectangular table of finite doubles with optional column names, read from text or .npy. Columns may hold other
// things as long as nobody uses them: names of samples, targets that are not known yet.

#pragma once

#include <credens/dataset.hpp>
#include <credens/matrix.hpp>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace credens::data {

/// The first cell of a column that holds no finite number, and the sentence about it.
struct ColumnFault {
  std::size_t row = 0;  ///< of the file
  std::string sentence;
};

struct Table {
  std::string source;              ///< how sentences name it: the path, or "standard input"
  std::vector<std::string> names;  ///< empty: no header
  Matrix values;
  std::size_t first_line = 0;                      ///< the line of the file's first row in a text file; 0: an array
  std::vector<std::optional<ColumnFault>> faults;  ///< one per column, or empty; where there is one, values are NaN
  std::size_t first_row = 0;                       ///< the place of row 0 in its file, for a block of a table

  std::size_t rows() const { return values.rows(); }
  std::size_t cols() const { return values.cols(); }
};

/// Reads `.npy` by extension, else delimited text, decompressing `.gz`, `.xz`, `.zst` (recognised by content). `-` is
/// standard input.
Table read_table(const std::filesystem::path& path, const TableFormat& format = {});

/// Delimited text. Every error: `source:line:column: what was found, what was expected`, with line and field counted
/// from 1. Lines that do not form a table throw here, cells that hold no number where their column is used.
Table parse_csv(std::string_view text, std::string source, const TableFormat& format = {});

/// The 0-based position of a column given by name, or by 0-based index (negative from the end); names win over indices.
/// Throws data: `source: no column "x"; did you mean y?`.
std::size_t find_column(const Table& table, std::string_view column);

/// Throws data with the first fault, by row, that one of these columns has.
void check_usable(const Table& table, std::span<const std::size_t> columns);

/// How sentences name a cell: `data.csv:17:3 (age)` in a text file, `data.npy: row 16, column 2 (counted from 0)` in an
/// array.
std::string place_of(const Table& table, std::size_t row, std::size_t col);

/// Columns by name or index, [N x columns.size()].
Matrix select_columns(const Table& table, std::span<const std::string> columns);

/// Columns by position, usable ones, [N x positions.size()].
Matrix take_columns(const Table& table, std::span<const std::size_t> positions);
void take_columns(const Table& table, std::span<const std::size_t> positions, Matrix& taken);  ///< keeps its memory

}  // namespace credens::data
