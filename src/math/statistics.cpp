// SPDX-License-Identifier: Apache-2.0

#include "math/statistics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "base/check.hpp"

namespace credens::math {

namespace {

/// Positions of the values that count, in the order of the values.
std::vector<std::size_t> ascending_positions(std::span<const double> values, std::span<const double> weights) {
  std::vector<std::size_t> order;
  order.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (weight_at(weights, i) > 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return order;
}

}  // namespace

void CompensatedSum::add(double value) {
  const double sum = sum_ + value;
  correction_ += std::abs(sum_) >= std::abs(value) ? (sum_ - sum) + value : (value - sum) + sum_;
  sum_ = sum;
}

double weight_at(std::span<const double> weights, std::size_t index) {
  return weights.empty() ? 1 : weights[index];
}

double total_weight(std::size_t count, std::span<const double> weights) {
  CompensatedSum total;
  for (std::size_t i = 0; i < count; ++i) total.add(weight_at(weights, i));
  base::require(total.value() > 0, ErrorCode::data, "the weights of {} values have the sum {}, expected more than 0",
                count, total.value());
  return total.value();
}

bool all_finite(std::span<const float> values) {
  constexpr std::uint32_t exponent = 0x7f800000U;  // all ones: infinite or NaN
  std::uint32_t found = 0;
  for (const float value : values)
    found |= static_cast<std::uint32_t>((std::bit_cast<std::uint32_t>(value) & exponent) == exponent);
  return found == 0;
}

double weighted_mean(std::span<const double> values, std::span<const double> weights) {
  CompensatedSum sum;
  for (std::size_t i = 0; i < values.size(); ++i) sum.add(weight_at(weights, i) * values[i]);
  return sum.value() / total_weight(values.size(), weights);
}

double weighted_variance(std::span<const double> values, std::span<const double> weights) {
  const double mean = weighted_mean(values, weights);
  CompensatedSum sum;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double deviation = values[i] - mean;
    sum.add(weight_at(weights, i) * deviation * deviation);
  }
  return sum.value() / total_weight(values.size(), weights);
}

double effective_count(std::size_t count, std::span<const double> weights) {
  CompensatedSum squares;
  for (std::size_t i = 0; i < count; ++i) squares.add(weight_at(weights, i) * weight_at(weights, i));
  const double total = total_weight(count, weights);
  return total * total / squares.value();
}

double standard_error(std::span<const double> values, std::span<const double> weights) {
  return std::sqrt(weighted_variance(values, weights) / std::max(effective_count(values.size(), weights) - 1, 1.0));
}

WeightedValues merge_groups(std::span<const double> values, std::span<const double> weights,
                            std::span<const std::uint32_t> group) {
  if (group.empty()) return {{values.begin(), values.end()}, {weights.begin(), weights.end()}};
  const std::size_t groups = std::size_t{*std::ranges::max_element(group)} + 1;
  std::vector<double> sums(groups);
  std::vector<double> totals(groups);
  for (std::size_t i = 0; i < values.size(); ++i) {
    sums[group[i]] += weight_at(weights, i) * values[i];
    totals[group[i]] += weight_at(weights, i);
  }
  WeightedValues merged;
  for (std::size_t g = 0; g < groups; ++g) {
    if (totals[g] == 0) continue;
    merged.values.push_back(sums[g] / totals[g]);
    merged.weights.push_back(totals[g]);
  }
  return merged;
}

double standard_error(std::span<const double> values, std::span<const double> weights,
                      std::span<const std::uint32_t> group) {
  const WeightedValues merged = merge_groups(values, weights, group);
  return standard_error(merged.values, merged.weights);
}

double weighted_median(std::span<const double> values, std::span<const double> weights) {
  // Weights such as 0.1 are rounded, so two halves that ought to be equal may differ in the last bits.
  constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();
  const double total = total_weight(values.size(), weights);
  const std::vector<std::size_t> order = ascending_positions(values, weights);
  CompensatedSum below;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    below.add(weight_at(weights, order[i]));
    const double excess = 2 * below.value() - total;
    if (std::abs(excess) <= rounding * total) return std::midpoint(values[order[i]], values[order[i + 1]]);
    if (excess > 0) return values[order[i]];
  }
  return values[order.back()];
}

}  // namespace credens::math
