// SPDX-License-Identifier: Apache-2.0

#include "learn/epoch_rows.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/check.hpp"
#include "base/subnormals.hpp"
#include "learn/folds.hpp"
#include "learn/gradient.hpp"

namespace credens::learn {

EpochRows::EpochRows(const TrainingRows& data, const FitOptions& options, std::size_t member, std::size_t attempt)
    : data_(data),
      name_{.seed = options.seed, .purpose = base::Purpose::shuffle, .member = member, .attempt = attempt} {
  if (cut() == nullptr) {
    rows_ = seen_rows(options, member, data.train().rows);
    double weight = 0;
    for (const std::uint32_t row : rows_) weight += data.train().weight(row);
    weight_total_ = data.train().weight_total * weight / static_cast<double>(data.train().rows);
    return;
  }
  held_out_.emplace(options, member, data.train().rows, *cut(), data.validation_rows());
  count_rows();
  if (!data.are_stored()) return;
  ranges_ = data.ranges();
  window_ = data.stored_scaler().set_of(cut()->largest());
}

/// Held-out rows are assumed to have the mean weight of all rows.
void EpochRows::count_rows() {
  double rows = 0;
  for (std::size_t block = 0; block < cut()->blocks(); ++block) {
    const std::size_t count = cut()->rows_of(block).count - held_out_->in_block(block).size();
    rows_in_block_.push_back(static_cast<std::uint32_t>(count));
    rows += static_cast<double>(count);
  }
  weight_total_ = data_.train().weight_total * rows / static_cast<double>(data_.train().rows);
}

void EpochRows::start(std::size_t epoch) {
  name_.epoch = epoch;
  random_.emplace(name_);
  next_window_ = 0;
  if (cut() != nullptr) blocks_ = base::permutation(cut()->blocks(), *random_);
}

std::size_t EpochRows::rows_in(std::size_t window) const {
  if (cut() == nullptr) return rows_.size();
  const RowRange range = cut()->blocks_of(window);
  std::size_t rows = 0;
  for (std::size_t i = 0; i < range.count; ++i) rows += rows_in_block_[blocks_[range.first + i]];
  return rows;
}

EpochRows::Window EpochRows::next() {
  if (cut() == nullptr) {
    order_ = rows_;
  } else {
    const RowRange range = cut()->blocks_of(next_window_++);
    read(std::span(blocks_).subspan(range.first, range.count));
  }
  base::shuffle(order_, *random_);
  return {.set = set(), .order = order_};
}

/// Subnormal numbers are kept, so that rows become the same floats as where all of them are read before training.
void EpochRows::read(std::span<const std::uint32_t> blocks) {
  const base::KeepSubnormals keep;
  order_.clear();
  std::size_t filled = 0;
  for (const std::uint32_t block : blocks) {
    const RowRange range = cut()->rows_of(block);
    if (ranges_) {
      data_.stored_scaler().write(ranges_(range.first, range.count), 0, range.count, window_, filled);
    }
    append_training(range, block, ranges_ ? filled : range.first);
    filled += range.count;
  }
}

/// `at` is the place of the range's first row in the set.
void EpochRows::append_training(const RowRange& range, std::size_t block, std::size_t at) {
  const std::vector<std::uint32_t> held_out = held_out_->in_block(block);
  auto next = held_out.begin();
  for (std::size_t i = 0; i < range.count; ++i) {
    if (next != held_out.end() && *next == range.first + i) {
      ++next;
    } else {
      order_.push_back(static_cast<std::uint32_t>(at + i));
    }
  }
}

double EpochRows::mean_loss(const model::Mlp& network) {
  if (cut() == nullptr) return learn::mean_loss(network, data_.train(), rows_);
  LossSum sum;
  for (std::uint32_t block = 0; block < cut()->blocks(); ++block) {
    read(std::array{block});
    add_loss(network, set(), order_, sum);
  }
  return sum.mean();
}

}  // namespace credens::learn
