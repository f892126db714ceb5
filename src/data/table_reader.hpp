// SPDX-License-Identifier: Apache-2.0
//
// A table file, block by block, so that memory does not grow with its rows.

#pragma once

#include <credens/dataset.hpp>

#include <filesystem>
#include <memory>
#include <vector>

#include "data/row_portions.hpp"
#include "data/table.hpp"
#include "data/table_files.hpp"

namespace credens::data {

/// Rows of a block; the last block of a file may have fewer.
constexpr std::size_t block_rows = 4096;

class TableReader {
 public:
  explicit TableReader(const std::filesystem::path& path, const TableFormat& format = {},
                       FileKind kind = FileKind::any);
  explicit TableReader(std::unique_ptr<RowPortions> portions);

  const Table& header() const { return portions_->header(); }  ///< source, names, columns and first line; no rows

  /// The next rows, as a table of their own that knows its place in the file. Its faults are the first of each column
  /// up to here. False: there are no more rows.
  bool next(Table& block);

  /// Of the whole file, by its line ends or its shape; the blocks go on where they were.
  std::size_t count_rows() { return portions_->count_rows(); }

  void rewind();  ///< the next block is the first again

 private:
  std::size_t waiting_rows() const { return waiting_.size() / header().cols() - taken_; }
  void read_ahead();

  std::unique_ptr<RowPortions> portions_;
  std::vector<double> waiting_;  ///< values that were read; the first `taken_` rows have been given away
  std::size_t taken_ = 0;
  std::size_t next_row_ = 0;
};

}  // namespace credens::data
