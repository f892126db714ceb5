// SPDX-License-Identifier: Apache-2.0

#include "learn/preparation.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
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
  base::require(options.prior_precision / train.weight_total <= largest, ErrorCode::usage,
                "lambda is {} while the row weights have the sum {}, expected at most {} times that sum",
                *options.prior_precision, train.weight_total, largest);
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

Preparation prepare(const TrainingRows& train, const FitOptions& options) {
  const Scaling scaling = make_scaling(train, options.standardise_inputs, options.bend_inputs);
  warn_of_constant_columns(train, options);

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
  if (options.validation != nullptr) {
    preparation.validation = make_training_set(*options.validation, scaling.inputs, scaling.targets);
  }
  check_decay(options, preparation.train);
  return preparation;
}

}  // namespace credens::learn
