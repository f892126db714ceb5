// SPDX-License-Identifier: Apache-2.0

#include "learn/preparation.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "learn/divergence.hpp"
#include "learn/memory.hpp"
#include "learn/unseen_rows.hpp"
#include "model/mlp.hpp"

namespace credens::learn {

namespace {

void warn(const FitOptions& options, const std::string& sentence) {
  if (options.on_warning) options.on_warning(sentence);
}

/// By name, or by 0-based position where there are no names.
std::string column_list(const std::vector<std::size_t>& columns, const std::vector<std::string>& names) {
  std::vector<std::string> words;
  for (const std::size_t column : columns) words.push_back(names.empty() ? fmt::format("{}", column) : names[column]);
  return base::join(words, ", ");
}

void warn_of_constant_columns(const TrainingRows& train, const FitOptions& options) {
  if (const auto inputs = train.summary().inputs.constant_columns(); !inputs.empty()) {
    warn(options,
         fmt::format("{} and {} nothing: {}", inputs.size() == 1 ? "an input is constant" : "inputs are constant",
                     inputs.size() == 1 ? "explains" : "explain", column_list(inputs, train.layout().input_names)));
  }
  if (const auto targets = train.summary().targets.constant_columns(); !targets.empty()) {
    warn(options, fmt::format("{} constant: {}", targets.size() == 1 ? "a target is" : "targets are",
                              column_list(targets, train.layout().target_names)));
  }
}

/// One value z standard deviations from the mean makes z^2 / (n - 1) of the variance, to first order. The scale of the
/// target is then that of this value, and all others look the same.
void warn_of_lone_targets(const TrainingRows& train, const FitOptions& options) {
  constexpr std::size_t enough_rows = 20;
  constexpr double share = 0.9;
  const data::ColumnMoments& targets = train.summary().targets;
  if (targets.rows() < enough_rows) return;
  const double distance = std::sqrt(share * static_cast<double>(targets.rows() - 1));
  if (const auto lone = targets.columns_with_outliers(distance); !lone.empty()) {
    warn(options,
         fmt::format("one value makes nearly all of the variance of a target; if it is an error, leave its row "
                     "out: {}",
                     column_list(lone, train.layout().target_names)));
  }
}

/// Whether a known variance, in network units, lies below the floor that replaces it.
bool is_below_floor(std::span<const double> noise_std, const data::Scaler& targets) {
  const double least_std = std::sqrt(model::noise_floor);
  for (std::size_t k = 0; k < noise_std.size(); ++k) {
    if (noise_std[k] < least_std * targets.scale[k]) return true;
  }
  return false;
}

std::size_t rows_below_floor(MatrixView noise_std, const data::Scaler& targets) {
  std::size_t count = 0;
  for (std::size_t row = 0; row < noise_std.rows(); ++row) count += is_below_floor(noise_std.row(row), targets) ? 1 : 0;
  return count;
}

void warn_of_small_noise(std::size_t below_floor, std::size_t rows, const FitOptions& options) {
  if (options.noise != NoiseKind::known || below_floor == 0) return;
  warn(
      options,
      fmt::format("the known noise of {} of {} rows lies below 0.001 standard deviations of the target and is taken as "
                  "that much",
                  below_floor, rows));
}

/// Adam squares the prior's part of the gradient in float.
void check_decay(const FitOptions& options, const TrainingSet& train) {
  constexpr double largest = 1e12;
  for (const auto& [name, precision] : {std::pair("lambda", *options.prior_precision),
                                        std::pair("hidden_precision", std::ranges::max(*options.hidden_precision))}) {
    base::require(precision / train.weight_total <= largest, ErrorCode::usage,
                  "{} is {} while the row weights have the sum {}, expected at most {} times that sum", name, precision,
                  train.weight_total, largest);
  }
}

}  // namespace

RowParts part_rows(std::size_t rows, double validation_fraction, std::uint64_t seed) {
  // Member 1 of the purpose, so that the rows do not follow those of Dataset::split with the same seed.
  base::RandomStream random({.seed = seed, .purpose = base::Purpose::split, .member = 1});
  const std::vector<std::uint32_t> order = base::permutation(rows, random);
  const double wanted = std::round(validation_fraction * static_cast<double>(rows));
  const auto held = std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 1, rows - 1);
  RowParts parts;
  parts.validation.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(held));
  parts.train.assign(order.begin() + static_cast<std::ptrdiff_t>(held), order.end());
  std::ranges::sort(parts.validation);
  std::ranges::sort(parts.train);
  return parts;
}

namespace {

/// Row weights as given have this mean.
double mean_weight(const TrainingRows& train) {
  return train.summary().weight_total / static_cast<double>(train.rows());
}

RowScaler scaler_of(const TrainingRows& train, const FitOptions& options) {
  return {train.source(), make_scaling(train, options.standardise_inputs, options.bend_inputs), mean_weight(train)};
}

/// Some rows, ascending, as they come by.
class Picker {
 public:
  Picker(const RowScaler& scaler, std::span<const std::uint32_t> rows)
      : scaler_(scaler), rows_(rows), set_(scaler.set_of(rows.size())) {}

  void look_at(const data::RowBlock& block) {
    for (; taken_ < rows_.size() && rows_[taken_] < block.first_row + block.rows(); ++taken_) {
      scaler_.write(block, rows_[taken_] - block.first_row, 1, set_, taken_);
    }
  }

  TrainingSet finish() && {
    check_row_count(taken_ == rows_.size());
    return std::move(set_);
  }

 private:
  const RowScaler& scaler_;
  std::span<const std::uint32_t> rows_;
  TrainingSet set_;
  std::size_t taken_ = 0;
};

/// Whether all rows are to be held in memory.
bool are_held(const TrainingRows& train, const FitOptions& options) {
  const std::uint64_t need = std::uint64_t{train.rows()} * train.row_bytes();
  const std::uint64_t allowed = memory_for_rows(options.memory);
  if (need <= allowed) return true;
  base::require(train.source().ranges() != nullptr, ErrorCode::usage,
                "the rows need {:.3g} GB of memory and may have {:.3g} GB (--memory), and only an array can be read in "
                "windows: make one of the table with `credens pack`",
                static_cast<double>(need) / 1e9, static_cast<double>(allowed) / 1e9);
  return false;
}

/// The numbers of all rows without the rows.
TrainingSet numbers_of(const TrainingRows& train, const RowScaler& scaler) {
  TrainingSet set = scaler.set_of(0);
  set.rows = train.rows();
  return set;
}

/// Of rows that are more than a window holds: one pass for what there is to know of all of them.
Preparation prepare_windows(const TrainingRows& train, const FitOptions& options, const Scaling& scaling) {
  const bool held = are_held(train, options);
  const RowScaler scaler(train.source(), scaling, mean_weight(train));
  Windowing windowing{.windows = train.windows(), .held_back = held_back_rows(train, options)};
  TrainingSet set = scaler.set_of(held ? train.rows() : data::block_rows);
  Picker validation(scaler, windowing.held_back);
  DivergenceSums divergence(train.outputs(), options.noise);
  std::size_t rows = 0;
  std::size_t below_floor = 0;
  train.source().rewind();
  for (data::RowBlock block; train.source().next(block); rows += block.rows()) {
    check_row_count(rows + block.rows() <= train.rows());
    const std::size_t at = held ? rows : 0;
    scaler.write(block, 0, block.rows(), set, at);
    divergence.add(set, at, block.rows());
    validation.look_at(block);
    below_floor += rows_below_floor(block.noise_std, scaling.targets);
  }
  check_row_count(rows == train.rows());
  warn_of_small_noise(below_floor, train.rows(), options);
  windowing.divergence_limit = divergence.limit();
  if (!held) {
    windowing.stored = std::make_shared<const StoredRows>(StoredRows{train.source(), scaler});
    set = numbers_of(train, scaler);
  }
  set.weight_total = train.summary().weight_total;
  Preparation preparation{.train = std::move(set), .validation = {}};
  if (!windowing.held_back.empty()) preparation.validation = std::move(validation).finish();
  preparation.windowing = std::move(windowing);
  return preparation;
}

/// Of rows that a window holds.
Preparation prepare_one_window(const TrainingRows& train, const FitOptions& options, const Scaling& scaling) {
  const bool parted = options.validation_fraction > 0;
  const std::vector<std::size_t> held =
      parted ? part_rows(train.rows(), options.validation_fraction, options.seed).validation
             : std::vector<std::size_t>();
  TrainingSetMaker training(train.rows() - held.size(), train.source(), scaling);
  TrainingSetMaker validation(held.size(), train.source(), scaling);
  auto next_held = held.begin();
  std::size_t below_floor = 0;
  train.source().rewind();
  for (data::RowBlock block; train.source().next(block);) {
    for (std::size_t row = 0; row < block.rows(); ++row) {
      const bool is_held = next_held != held.end() && *next_held == block.first_row + row;
      (is_held ? validation : training).add(block, row);
      if (is_held) ++next_held;
    }
    below_floor += rows_below_floor(block.noise_std, scaling.targets);
  }
  warn_of_small_noise(below_floor, train.rows(), options);
  Preparation preparation{.train = std::move(training).finish(), .validation = {}};
  if (parted) preparation.validation = std::move(validation).finish();
  return preparation;
}

}  // namespace

std::vector<std::uint32_t> held_back_rows(const TrainingRows& train, const FitOptions& options) {
  if (options.validation_fraction == 0) return {};
  const std::size_t rows = train.rows();
  const double wanted = std::round(options.validation_fraction * static_cast<double>(rows));
  const std::size_t most = std::min(rows - 1, train.windows().largest());
  const auto count = std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 1, most);
  base::RandomStream random({.seed = options.seed, .purpose = base::Purpose::split, .member = 2});
  std::vector<std::uint32_t> held = drawn_rows(random, rows, {}, count);
  std::ranges::sort(held);
  return held;
}

SampledRows sample(const TrainingRows& train, const FitOptions& options, std::vector<std::uint32_t> rows) {
  const RowScaler scaler = scaler_of(train, options);
  Picker picker(scaler, rows);
  train.source().rewind();
  for (data::RowBlock block; train.source().next(block);) picker.look_at(block);
  TrainingSet set = std::move(picker).finish();
  set.weight_total = train.summary().weight_total;
  return {.rows = std::move(rows), .set = std::move(set)};
}

Preparation prepare(const TrainingRows& train, const FitOptions& options) {
  const Scaling scaling = make_scaling(train, options.standardise_inputs, options.bend_inputs);
  warn_of_constant_columns(train, options);
  warn_of_lone_targets(train, options);
  Preparation preparation =
      train.windows().is_one() ? prepare_one_window(train, options, scaling) : prepare_windows(train, options, scaling);
  if (options.validation != nullptr) {
    preparation.validation = make_training_set(*options.validation, scaling.inputs, scaling.targets);
  }
  check_decay(options, preparation.train);
  return preparation;
}

}  // namespace credens::learn
