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

void warn_of_constant_columns(const Dataset& train, const FitOptions& options) {
  if (const auto inputs = data::constant_columns(train.inputs(), train.weights()); !inputs.empty()) {
    warn(options,
         fmt::format("{} and {} nothing: {}", inputs.size() == 1 ? "an input is constant" : "inputs are constant",
                     inputs.size() == 1 ? "explains" : "explain", column_list(inputs, train.input_names())));
  }
  if (const auto targets = data::constant_columns(train.targets(), train.weights()); !targets.empty()) {
    warn(options, fmt::format("{} constant: {}", targets.size() == 1 ? "a target is" : "targets are",
                              column_list(targets, train.target_names())));
  }
}

/// Rows of which a known variance, in network units, lies below the floor that replaces it.
std::size_t rows_below_floor(const Dataset& train, const data::Scaler& targets) {
  const double least_std = std::sqrt(model::noise_floor);
  std::size_t count = 0;
  for (std::size_t i = 0; i < train.noise_std().rows(); ++i) {
    const auto row = train.noise_std().row(i);
    bool below = false;
    for (std::size_t k = 0; k < row.size(); ++k) below = below || row[k] < least_std * targets.scale[k];
    count += below ? 1 : 0;
  }
  return count;
}

void warn_of_small_noise(const Dataset& train, const data::Scaler& targets, const FitOptions& options) {
  if (options.noise != NoiseKind::known) return;
  const std::size_t count = rows_below_floor(train, targets);
  if (count == 0) return;
  warn(
      options,
      fmt::format("the known noise of {} of {} rows lies below 0.001 standard deviations of the target and is taken as "
                  "that much",
                  count, train.rows()));
}

/// Adam squares the prior's part of the gradient in float.
void check_decay(const FitOptions& options, const TrainingSet& train) {
  constexpr double largest = 1e12;
  base::require(options.prior_precision / train.weight_total <= largest, ErrorCode::usage,
                "lambda is {} while the row weights have the sum {}, expected at most {} times that sum",
                options.prior_precision, train.weight_total, largest);
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

Preparation prepare(const Dataset& train, const FitOptions& options) {
  const Scaling scaling = make_scaling(train, options.standardise_inputs);
  const auto scaled = [&scaling](const Dataset& rows) {
    return make_training_set(rows, scaling.inputs, scaling.targets);
  };
  warn_of_constant_columns(train, options);
  warn_of_small_noise(train, scaling.targets, options);

  Preparation preparation;
  if (options.validation_fraction > 0) {
    const RowParts parts = part_rows(train.rows(), options.validation_fraction, options.seed);
    preparation.train = scaled(train.select(parts.train));
    preparation.validation = scaled(train.select(parts.validation));
  } else {
    preparation.train = scaled(train);
    if (options.validation != nullptr) preparation.validation = scaled(*options.validation);
  }
  check_decay(options, preparation.train);
  return preparation;
}

}  // namespace credens::learn
