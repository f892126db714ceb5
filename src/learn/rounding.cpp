// SPDX-License-Identifier: Apache-2.0

#include "learn/rounding.hpp"

#include <algorithm>
#include <limits>

#include "base/random.hpp"

namespace credens::learn {

namespace {

/// Distinct targets of an output among the held-out rows, ascending.
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

/// Weighted mean squared error of the best configuration over its held-out pairs.
double least_squared_error(const HeldOut& held_out, std::size_t output) {
  std::size_t configurations = 0;
  for (const MemberAtRows& member : held_out.members)
    configurations = std::max(configurations, member.configuration + 1);
  std::vector<double> sums(configurations);
  std::vector<double> weights(configurations);
  for (std::size_t r = 0; r < held_out.rows(); ++r) {
    for (const std::uint32_t l : held_out.members_of(r)) {
      const MemberAtRows& member = held_out.members[l];
      const double error = held_out.targets(r, output) - member.mean(r, output);
      sums[member.configuration] += held_out.weights[r] * error * error;
      weights[member.configuration] += held_out.weights[r];
    }
  }
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t configuration = 0; configuration < configurations; ++configuration) {
    if (weights[configuration] > 0) least = std::min(least, sums[configuration] / weights[configuration]);
  }
  return least;
}

}  // namespace

std::optional<double> rounding_step(const HeldOut& held_out, std::size_t output) {
  constexpr std::size_t rows_per_value = 5;
  constexpr double least_share = 0.02;
  const std::vector<double> values = distinct_targets(held_out, output);
  if (values.size() < 2 || values.size() * rows_per_value > held_out.rows()) return std::nullopt;
  const double step = median_gap(values);
  const double error = least_squared_error(held_out, output);
  const bool is_nothing = step * step / 12 < least_share * error;
  const bool tells_values_apart = error < step * step / 4;
  if (is_nothing || tells_values_apart) return std::nullopt;
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
