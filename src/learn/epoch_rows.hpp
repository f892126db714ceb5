// SPDX-License-Identifier: Apache-2.0
//
// The rows that a member is trained on, epoch by epoch, in the order that the stream (seed, shuffle, member, attempt,
// epoch) gives them. Rows that fit into one window are shuffled all together. More rows are shuffled in two steps:
// first the blocks, which windows take in this order, then the rows of each window.

#pragma once

#include <credens/fit.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "learn/held_out_blocks.hpp"
#include "learn/training_rows.hpp"
#include "model/mlp.hpp"

namespace credens::learn {

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
  void append_training(const RowRange& range, std::size_t block, std::size_t at);

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
