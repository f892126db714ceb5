// SPDX-License-Identifier: Apache-2.0
//
// Rows with roles, block by block: from a file, without holding its table, or from a dataset.

#pragma once

#include <credens/dataset.hpp>

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "data/table_files.hpp"
#include "data/table_reader.hpp"

namespace credens::data {

/// Rows `first_row`, ... of a source, at most `block_rows`; valid until the next block.
struct RowBlock {
  std::size_t first_row = 0;
  MatrixView inputs = {};                ///< [n x d]
  MatrixView targets = {};               ///< [n x q]
  std::span<const double> weights = {};  ///< empty or n values
  MatrixView noise_std = {};             ///< empty or [n x q]

  std::size_t rows() const { return inputs.rows(); }
};

/// Rows of a source at any place. Each thread has its own.
class RowRanges {
 public:
  RowRanges() = default;
  RowRanges(const RowRanges&) = delete;
  RowRanges& operator=(const RowRanges&) = delete;
  virtual ~RowRanges() = default;

  /// Rows that the source has been found to have; valid until the next call. Values are checked as those of
  /// `RowSource::next`, but for those that are not finite.
  virtual RowBlock read(std::size_t first, std::size_t count) = 0;
};

/// Blocks have `block_rows` rows, the last one what is left.
class RowSource {
 public:
  RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;
  virtual ~RowSource() = default;

  /// Names and positions as those of Dataset. Matrices have their columns but no rows; noise_std has none where there
  /// is no known noise. Whether there are weights: `has_weights`.
  virtual const DatasetParts& layout() const = 0;
  virtual bool has_weights() const = 0;

  /// Checks the rows as Dataset does, with the place of what is wrong. False: there are no more.
  virtual bool next(RowBlock& block) = 0;
  virtual void rewind() = 0;  ///< the next block is the first again

  /// Of the whole source, before or after it was read; the blocks go on where they were.
  virtual std::size_t count_rows() = 0;

  /// Null where rows come one after the other: from text, archives and streams. May be called by several threads.
  virtual std::unique_ptr<RowRanges> ranges() const { return nullptr; }
};

std::unique_ptr<RowSource> open_rows(const std::filesystem::path& path, const DatasetOptions& options,
                                     FileKind kind = FileKind::any);

/// The same where `portions` of the file have been opened otherwise.
std::unique_ptr<RowSource> open_rows(const std::filesystem::path& path, std::unique_ptr<RowPortions> portions,
                                     const DatasetOptions& options);

/// The dataset must live as long as the source.
std::unique_ptr<RowSource> rows_of(const Dataset& dataset);

/// All rows in memory.
Dataset read_dataset(RowSource& source);

}  // namespace credens::data
