// SPDX-License-Identifier: Apache-2.0
//
// Rows with roles, block by block: from a file, without holding its table, or from a dataset.

#pragma once

#include <credens/dataset.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "data/schema.hpp"
#include "data/table.hpp"

namespace credens::data {

/// Rows of a block; the last block of a file may have fewer.
constexpr std::size_t block_rows = 4096;

/// Rows `first_row`, ... of a source, at most `block_rows`; valid until the next block.
struct RowBlock {
  std::size_t first_row = 0;
  MatrixView inputs = {};                  ///< [n x d]
  MatrixView targets = {};                 ///< [n x q], or [n x 0] where the schema has no positions for them
  std::span<const double> weights = {};    ///< empty or n values
  MatrixView noise_std = {};               ///< empty or [n x q]
  std::span<const double> groups = {};     ///< empty or n values
  std::span<const double> times = {};      ///< empty or n values
  const Table* table = nullptr;            ///< all columns of these rows and their place in the file; null: no file
  const RowPortions* file = nullptr;       ///< knows the words of the table's columns; null: no file
  std::span<const std::size_t> kept = {};  ///< rows of `table`, ascending, that these are; empty: all

  std::size_t rows() const { return inputs.rows(); }
  std::size_t table_row(std::size_t row) const { return kept.empty() ? row : kept[row]; }
};

/// Rows [first, first + count) of a block.
RowBlock part_of(const RowBlock& block, std::size_t first, std::size_t count);

/// Reads rows [first, first + count) of a source, which it has been found to have; valid until the next call. Values
/// are checked as those of `RowSource::next`, but for those that are not finite. Each thread has its own.
using RowRanges = std::function<RowBlock(std::size_t first, std::size_t count)>;

/// Blocks have `block_rows` rows, the last one what is left; from a file that is read in one pass they may have fewer,
/// so that nobody waits for rows that are still to come.
class RowSource {
 public:
  RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;
  virtual ~RowSource() = default;

  virtual const Schema& schema() const = 0;

  /// Checks the rows as Dataset does, with the place of what is wrong. False: there are no more.
  virtual bool next(RowBlock& block) = 0;
  virtual void rewind() = 0;  ///< the next block is the first again

  /// Goes back to the first row, from now on without these inputs (ascending), after all rows were read once.
  virtual void leave_out(std::span<const std::size_t> inputs) = 0;

  /// All rows of the source, before or after it was read; the blocks go on where they were. A file whose rows are then
  /// found to be more or fewer throws data.
  virtual std::size_t count_rows() = 0;

  /// Sentences about how the file was read so far.
  virtual std::vector<std::string> warnings() const { return {}; }

  /// Empty where rows come one after the other: from text, archives and streams. May be called by several threads.
  virtual RowRanges ranges() const { return {}; }
};

std::unique_ptr<RowSource> open_rows(const std::filesystem::path& path, const DatasetOptions& options,
                                     FileKind kind = FileKind::any);

std::unique_ptr<RowSource> open_rows(const std::filesystem::path& path, std::unique_ptr<RowPortions> portions,
                                     const DatasetOptions& options);

/// Columns as `schema` says, whose positions are those of the portions. `target_scale` as that of check_noise.
std::unique_ptr<RowSource> open_rows(const std::filesystem::path& path, std::unique_ptr<RowPortions> portions,
                                     Schema schema, std::vector<double> target_scale = {},
                                     Passes passes = Passes::many);

/// The dataset must live as long as the source.
std::unique_ptr<RowSource> rows_of(const Dataset& dataset);

/// All rows in memory.
Dataset read_dataset(RowSource& source);

/// Inputs, targets, weights and noise of a table as `options` assign them; contradictions throw usage, bad values data.
Dataset make_dataset(Table table, const DatasetOptions& options);

}  // namespace credens::data
