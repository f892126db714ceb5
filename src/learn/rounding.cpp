// SPDX-License-Identifier: Apache-2.0

#include "learn/rounding.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace credens::learn {

namespace {

/// The rows' values of an output, each once, ascending.
std::vector<double> distinct_targets(const HeldOut& held_out, std::size_t output) {
  std::vector<double> values;
  for (std::size_t r = 0; r < held_out.rows(); ++r) values.push_back(held_out.targets(r, output));
  std::ranges::sort(values);
  const auto repeated = std::ranges::unique(values);
  values.erase(repeated.begin(), repeated.end());
  return values;
}

double median_gap(const std::vector<double>& ascending) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < ascending.size(); ++i) gaps.push_back(ascending[i] - ascending[i - 1]);
  const auto middle = gaps.begin() + std::ssize(gaps) / 2;
  std::ranges::nth_element(gaps, middle);
  return *middle;
}

/// Over the cases, each with its row's weight.
double mean_squared_error(const HeldOut& held_out, std::size_t output) {
  double sum = 0;
  double weights = 0;
  for (std::size_t r = 0; r < held_out.rows(); ++r) {
    for (const std::uint32_t l : held_out.members_of(r)) {
      const double error = held_out.targets(r, output) - held_out.members[l].mean(r, output);
      sum += held_out.weights[r] * error * error;
      weights += held_out.weights[r];
    }
  }
  return weights > 0 ? sum / weights : 0;
}

}  // namespace

std::optional<double> rounding_step(const HeldOut& held_out, std::size_t output) {
  constexpr std::size_t rows_per_value = 5;
  constexpr double least_share = 0.02;
  const std::vector<double> values = distinct_targets(held_out, output);
  if (values.size() < 2 || values.size() * rows_per_value > held_out.rows()) return std::nullopt;
  const double step = median_gap(values);
  const double rounding = step * step / 12;
  const double error = mean_squared_error(held_out, output);
  if (rounding < least_share * error || rounding > error) return std::nullopt;
  return step;
}

std::vector<std::optional<double>> undo_rounding(HeldOut& held_out, std::uint64_t seed) {
  std::vector<std::optional<double>> steps;
  for (std::size_t k = 0; k < held_out.outputs(); ++k) {
    const std::optional<double> step = rounding_step(held_out, k);
    steps.push_back(step);
    if (!step) continue;
    base::RandomStream random({.seed = seed, .purpose = base::Purpose::calibration, .member = 2, .attempt = k});
    for (std::size_t r = 0; r < held_out.rows(); ++r) held_out.targets(r, k) += *step * random.uniform(-0.5, 0.5);
  }
  return steps;
}

}  // namespace credens::learn
