// SPDX-License-Identifier: Apache-2.0

#include "learn/member_rows.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <unordered_set>

#include "base/check.hpp"
#include "base/subnormals.hpp"
#include "learn/gradient.hpp"
#include "learn/recipe.hpp"

namespace credens::learn {

namespace {

/// The random partition of the rows that a member belongs to, and the fold of it that is held out.
struct FoldPlace {
  std::size_t partition = 0;
  std::size_t fold = 0;
};

FoldPlace fold_place(const FitOptions& options, std::size_t member) {
  const std::size_t folds = options.folds;
  const std::size_t configurations = configuration_count(options);
  const std::size_t turn = member / configurations;
  return {.partition = folds == 1 ? 0 : turn / folds * configurations + member % configurations, .fold = turn % folds};
}

std::vector<std::uint32_t> held_out_units(const FoldUnits& units, std::size_t folds, std::size_t fold,
                                          base::RandomStream& random) {
  if (folds == 1) return rows_of_part(units, part_size(units.rows), part_size(units.count), random);
  const std::vector<std::uint32_t> fold_of = fold_of_units(units, folds, random);
  std::vector<std::uint32_t> held;
  for (std::uint32_t row = 0; row < units.rows; ++row) {
    if (fold_of[units.unit(row)] == fold) held.push_back(row);
  }
  return held;
}

}  // namespace

std::size_t part_size(std::size_t rows) {
  constexpr std::size_t enough = 5000;
  return std::clamp<std::size_t>(rows / 10, 1, enough);
}

std::vector<std::uint32_t> held_out_rows(const FitOptions& options, std::size_t member, const FoldUnits& units) {
  const std::size_t folds = options.folds;
  if (folds == 0) return {};
  const auto [number, fold] = fold_place(options, member);
  base::RandomStream random({.seed = options.seed, .purpose = base::Purpose::folds, .member = number});
  if (!units.are_rows() || !units.strata.empty()) return held_out_units(units, folds, fold, random);
  const std::size_t rows = units.rows;
  const std::vector<std::uint32_t> order = base::permutation(rows, random);
  const std::size_t first = folds == 1 ? 0 : fold * rows / folds;
  const std::size_t end = folds == 1 ? part_size(rows) : (fold + 1) * rows / folds;
  std::vector<std::uint32_t> held(order.begin() + static_cast<std::ptrdiff_t>(first),
                                  order.begin() + static_cast<std::ptrdiff_t>(end));
  std::ranges::sort(held);
  return held;
}

void check_fold_units(const FitOptions& options, const TrainingTable& train) {
  const data::Schema& schema = train.schema();
  const bool holds_out = options.folds > 0 || options.validation_fraction > 0;
  base::require(!holds_out || (!schema.group && !schema.time) || train.windows().is_one(), ErrorCode::usage,
                "{} is given, but the rows take more than {} MB of memory, expected fewer rows or folds 0",
                schema.group ? "group" : "time", train.window_bytes() >> 20);
  const FoldUnits& all = train.fold_units();
  if (all.are_rows()) return;
  base::require(all.count >= 2, ErrorCode::usage, "the training data have 1 {}, expected at least 2 to hold one out",
                all.noun());
  if (!holds_out) return;
  const FoldUnits units = all.subset(other_rows(train.rows(), validation_part(train, options)));
  const bool has_enough = options.folds <= units.count && (*options.folds == 0 || units.count >= 2);
  base::require(has_enough, ErrorCode::usage, "{} folds for {}, expected at most one fold for each", *options.folds,
                data::count_of(units.count, units.noun()));
}

std::vector<std::uint32_t> other_rows(std::size_t rows, const std::vector<std::uint32_t>& excluded) {
  std::vector<std::uint32_t> others;
  others.reserve(rows - excluded.size());
  std::ranges::set_difference(std::views::iota(0U, static_cast<std::uint32_t>(rows)), excluded,
                              std::back_inserter(others));
  return others;
}

std::vector<std::uint32_t> seen_rows(const FitOptions& options, std::size_t member, const FoldUnits& units) {
  return other_rows(units.rows, held_out_rows(options, member, units));
}

std::vector<std::uint32_t> drawn_rows(base::RandomStream& random, std::size_t rows,
                                      const std::vector<std::uint32_t>& without, std::size_t count) {
  std::unordered_set<std::uint32_t> taken;
  std::vector<std::uint32_t> drawn;
  count = std::min(count, rows - without.size());
  while (drawn.size() < count) {
    const auto row = static_cast<std::uint32_t>(random.below(rows));
    if (!std::ranges::binary_search(without, row) && taken.insert(row).second) drawn.push_back(row);
  }
  return drawn;
}

std::vector<std::uint32_t> draw_judging_rows(std::uint64_t seed, std::size_t rows,
                                             const std::vector<std::uint32_t>& validation, std::size_t count) {
  base::RandomStream random({.seed = seed, .purpose = base::Purpose::folds, .attempt = 1});
  return drawn_rows(random, rows, validation, count);
}

HeldOutBlocks::HeldOutBlocks(const FitOptions& options, std::size_t member, std::size_t rows, const Windows& windows,
                             const std::vector<std::uint32_t>& validation)
    : options_(options), member_(member), windows_(windows), listed_(validation) {
  if (*options.folds != 1) return;
  const std::vector<std::uint32_t> part = draw_judging_rows(options.seed, rows, validation, part_size(rows));
  listed_.insert(listed_.end(), part.begin(), part.end());
  std::ranges::sort(listed_);
}

/// Adds the block's rows of the member's fold. Parts of a block differ by one row, and the short ones have the same
/// places in all blocks: folds rotate over the parts, so that no fold has the short part of every block. A block of few
/// wide rows may have empty parts.
void HeldOutBlocks::add_fold(std::size_t block, std::vector<std::uint32_t>& held_out) const {
  const std::size_t folds = options_.folds;
  const FoldPlace place = fold_place(options_, member_);
  const RowRange range = windows_.rows_of(block);
  base::RandomStream random({.seed = options_.seed,
                             .purpose = base::Purpose::folds,
                             .member = place.partition,
                             .attempt = 2,
                             .epoch = block});
  const std::vector<std::uint32_t> order = base::permutation(range.count, random);
  const std::size_t part = (place.fold + block) % folds;
  const std::size_t end = (part + 1) * range.count / folds;
  for (std::size_t i = part * range.count / folds; i < end; ++i) {
    held_out.push_back(static_cast<std::uint32_t>(range.first) + order[i]);
  }
  std::ranges::sort(held_out);
  held_out.erase(std::ranges::unique(held_out).begin(), held_out.end());
}

std::vector<std::uint32_t> HeldOutBlocks::in_block(std::size_t block) const {
  const RowRange range = windows_.rows_of(block);
  const auto first = std::ranges::lower_bound(listed_, range.first);
  const auto end = std::ranges::lower_bound(listed_, range.first + range.count);
  std::vector<std::uint32_t> held_out(first, end);
  if (options_.folds > 1) add_fold(block, held_out);
  return held_out;
}

std::vector<bool> HeldOutBlocks::contains(const std::vector<std::uint32_t>& rows) const {
  std::vector<bool> found;
  std::vector<std::uint32_t> held_out;
  std::size_t block = windows_.blocks();
  for (const std::uint32_t row : rows) {
    if (windows_.block_of(row) != block) held_out = in_block(block = windows_.block_of(row));
    found.push_back(std::ranges::binary_search(held_out, row));
  }
  return found;
}

EpochRows::EpochRows(const TrainingRows& data, const FitOptions& options, std::size_t member, std::size_t attempt)
    : data_(data),
      name_{.seed = options.seed, .purpose = base::Purpose::shuffle, .member = member, .attempt = attempt} {
  if (cut() == nullptr) {
    rows_ = seen_rows(options, member, data.units());
    double weight = 0;
    for (const std::uint32_t row : rows_) weight += data.train().weight(row);
    weight_total_ = data.train().weight_total * weight / static_cast<double>(data.train().rows);
    return;
  }
  held_out_.emplace(options, member, data.train().rows, *cut(), data.validation_rows());
  count_rows();
  if (!data.are_stored()) return;
  ranges_ = data.table().source().ranges();
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
    const auto first = static_cast<std::uint32_t>(range.first);
    const std::size_t before = order_.size();
    std::ranges::set_difference(std::views::iota(first, first + static_cast<std::uint32_t>(range.count)),
                                held_out_->in_block(block), std::back_inserter(order_));
    if (!ranges_) continue;
    data_.stored_scaler().write(ranges_(range.first, range.count), 0, range.count, window_, filled);
    for (std::uint32_t& row : std::span(order_).subspan(before)) row = static_cast<std::uint32_t>(row - first + filled);
    filled += range.count;
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
