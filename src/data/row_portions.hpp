// SPDX-License-Identifier: Apache-2.0
//
// What a file format offers to those who read tables: rows in portions, from the first to the last, again if need be.

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "data/table.hpp"

namespace credens::data {

class RowPortions {
 public:
  RowPortions() = default;
  RowPortions(const RowPortions&) = delete;
  RowPortions& operator=(const RowPortions&) = delete;
  virtual ~RowPortions() = default;

  virtual const Table& header() const = 0;  ///< source, names, columns and first line; no rows

  /// Appends the values of the next rows. False: there are no more.
  virtual bool append(std::vector<double>& values) = 0;

  /// The first fault of each column in what has been read so far; empty: there is none.
  virtual const std::vector<std::optional<ColumnFault>>& faults() const = 0;

  /// Of the whole file, without reading its cells; the portions go on where they were. Not in one pass.
  virtual std::size_t count_rows() = 0;

  /// As `count_rows`, but a guess from what has been read so far is enough; 0: there is none.
  virtual std::size_t guess_rows() const = 0;

  virtual void rewind() = 0;  ///< not in one pass
};

/// All rows from the first on.
Table read_all(RowPortions& portions);

}  // namespace credens::data
