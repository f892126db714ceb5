// SPDX-License-Identifier: Apache-2.0
//
// Which rows are held out of a member, to tell how good it is at new ones, and which it is trained on, epoch by epoch.

#pragma once

#include <credens/fit.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "learn/fold_units.hpp"
#include "learn/training_rows.hpp"
#include "model/mlp.hpp"

namespace credens::learn {

/// Rows of the one part that is held out of all members: enough for calibration, at most a tenth of the rows.
std::size_t part_size(std::size_t rows);

/// The rows of the training set that are held out of a member, ascending. `options` have all choices made.
///
/// With K > 1 folds the first K replicates of a configuration share a random partition into K folds, one held out of
/// each; the next K replicates have another partition. With one fold the same part is held out of all members. With
/// none all members are trained on all rows. Units are held out whole; in time all partitions are the same blocks.
std::vector<std::uint32_t> held_out_rows(const FitOptions& options, std::size_t member, const FoldUnits& units);

/// Throws usage where groups or times leave too few units for the folds, or there are more rows than a window holds.
void check_fold_units(const FitOptions& options, const TrainingTable& train);

/// The rows 0, ..., rows - 1 without those of `excluded`, which ascends.
std::vector<std::uint32_t> other_rows(std::size_t rows, const std::vector<std::uint32_t>& excluded);

/// The rows of the training set that a member is trained on, ascending.
std::vector<std::uint32_t> seen_rows(const FitOptions& options, std::size_t member, const FoldUnits& units);

/// Draws `count` distinct rows, none of `without` (ascending) among them.
std::vector<std::uint32_t> drawn_rows(base::RandomStream& random, std::size_t rows,
                                      const std::vector<std::uint32_t>& without, std::size_t count);

/// Draws rows to compare members by. The first part_size(rows) are, with one fold, those that are held out of all
/// members, and with more folds a sample.
std::vector<std::uint32_t> draw_judging_rows(std::uint64_t seed, std::size_t rows,
                                             const std::vector<std::uint32_t>& validation, std::size_t count);

/// The held-out rows of a member where there are more rows than a window holds: found block by block, so that no list
/// grows with the rows. Rows are counted as in the source. Validation rows are held out of all members.
class HeldOutBlocks {
 public:
  HeldOutBlocks(const FitOptions& options, std::size_t member, std::size_t rows, const Windows& windows,
                const std::vector<std::uint32_t>& validation);

  /// Held-out rows of a block, ascending. With K > 1 folds every block has a random partition into K parts of its own,
  /// and fold f takes part f + b modulo K of block b: folds differ by a few rows, however few a block has.
  std::vector<std::uint32_t> in_block(std::size_t block) const;

  /// Whether each of the rows, which ascend, is held out.
  std::vector<bool> contains(const std::vector<std::uint32_t>& rows) const;

 private:
  void add_fold(std::size_t block, std::vector<std::uint32_t>& held_out) const;

  const FitOptions& options_;
  std::size_t member_;
  const Windows& windows_;
  std::vector<std::uint32_t> listed_;  ///< validation rows, and with one fold the part held out of all members
};

/// The rows that a member is trained on, epoch by epoch, in the order that the stream (seed, shuffle, member, attempt,
/// epoch) gives them. Rows that fit into one window are shuffled all together. More rows are shuffled in two steps:
/// first the blocks, which windows take in this order, then the rows of each window.
class EpochRows {
 public:
  /// The rows must live as long.
  EpochRows(const TrainingRows& data, const FitOptions& options, std::size_t member, std::size_t attempt);
  EpochRows(TrainingRows&& data, const FitOptions& options, std::size_t member, std::size_t attempt) = delete;

  double weight_total() const { return weight_total_; }  ///< sum of the row weights, as given
  std::size_t windows() const { return cut() == nullptr ? 1 : cut()->count(); }

  void start(std::size_t epoch);
  std::size_t rows_in(std::size_t window) const;  ///< in the epoch that has started

  /// Rows of a set in the order of training; valid until the next window.
  struct Window {
    const TrainingSet& set;
    std::span<const std::uint32_t> order;
  };
  Window next();

  double mean_loss(const model::Mlp& network);  ///< over all rows, in their own order

 private:
  const Windows* cut() const { return data_.windows(); }  ///< null: one window holds all rows
  const TrainingSet& set() const { return ranges_ ? window_ : data_.train(); }
  void count_rows();
  void read(std::span<const std::uint32_t> blocks);

  const TrainingRows& data_;
  base::StreamName name_;
  std::optional<base::RandomStream> random_;
  std::vector<std::uint32_t> order_;
  double weight_total_ = 0;

  std::vector<std::uint32_t> rows_;  ///< the member's training rows, where one window holds them

  std::optional<HeldOutBlocks> held_out_;  ///< this and the fields below: where there are several windows
  std::vector<std::uint32_t> rows_in_block_;
  std::vector<std::uint32_t> blocks_;  ///< in the epoch's order
  std::size_t next_window_ = 0;
  data::RowRanges ranges_;  ///< empty: all rows are in memory
  TrainingSet window_;
};

}  // namespace credens::learn
