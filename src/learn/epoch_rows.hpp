// SPDX-License-Identifier: Apache-2.0
//
// The rows that a member is trained on, epoch by epoch, in the order that the stream (seed, shuffle, member, attempt,
// epoch) gives them. Rows that one window holds are shuffled all together. More are shuffled in two steps: the blocks,
// of which windows then take some each, and the rows of a window.

#pragma once

#include <credens/fit.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "learn/training_data.hpp"
#include "learn/unseen_rows.hpp"
#include "model/mlp.hpp"

namespace credens::learn {

class EpochRows {
 public:
  EpochRows(const TrainingData& data, const FitOptions& options, std::size_t member, std::size_t attempt);

  double weight_total() const { return weight_total_; }  ///< of the rows, as given
  std::size_t windows() const { return cut() == nullptr ? 1 : cut()->windows.count(); }

  void start(std::size_t epoch);
  std::size_t rows_in(std::size_t window) const;  ///< of the epoch that has started

  /// Rows of a set in the order in which they are to be seen; valid until the next.
  struct Window {
    const TrainingSet& set;
    std::span<const std::uint32_t> order;
  };
  Window next();

  double mean_loss(const model::Mlp& network);  ///< over all rows, in their own order

 private:
  const Windowing* cut() const { return data_.windowing; }
  const TrainingSet& set() const { return ranges_ ? window_ : data_.set; }
  void count_rows();
  void read(std::span<const std::uint32_t> blocks);
  void append_seen(const RowRange& range, std::size_t block, std::size_t at);

  TrainingData data_;
  base::StreamName name_;
  std::optional<base::RandomStream> random_;
  std::vector<std::uint32_t> order_;
  double weight_total_ = 0;

  std::vector<std::uint32_t> rows_;  ///< that the member sees, where one window holds them

  std::optional<UnseenRows> unseen_;  ///< from here on where there are several windows
  std::vector<std::uint32_t> seen_in_block_;
  std::vector<std::uint32_t> blocks_;  ///< in the epoch's order
  std::size_t next_window_ = 0;
  std::unique_ptr<data::RowRanges> ranges_;  ///< null: all rows are in memory
  TrainingSet window_;
};

}  // namespace credens::learn
