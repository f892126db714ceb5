// SPDX-License-Identifier: Apache-2.0
//
// Weighted sums, means and medians. An empty weight span means that every value counts once.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace credens::math {

/// Rows per block: sums run within a block, then block by block in order, for any number of threads.
constexpr std::size_t statistics_block = 4096;

/// Compensated (Neumaier) sum: order matters at most in the last bit.
class CompensatedSum {
 public:
  void add(double value);
  double value() const { return sum_ + correction_; }

 private:
  double sum_ = 0;
  double correction_ = 0;
};

double weight_at(std::span<const double> weights, std::size_t index);

/// The sum of the weights of `count` values; throws data unless it is positive.
double total_weight(std::size_t count, std::span<const double> weights);

bool all_finite(std::span<const float> values);

double weighted_mean(std::span<const double> values, std::span<const double> weights);

/// Population variance about the weighted mean (divides by the sum of the weights).
double weighted_variance(std::span<const double> values, std::span<const double> weights);

/// How many values of equal weight would scatter as much: (sum u)^2 / sum u^2.
double effective_count(std::size_t count, std::span<const double> weights);

/// Standard error of the weighted mean: the root of weighted_variance / (effective_count - 1), at least that of 2
/// values.
double standard_error(std::span<const double> values, std::span<const double> weights);

struct WeightedValues {
  std::vector<double> values = {};
  std::vector<double> weights = {};
};

/// Values of one group, which are no independent witnesses, become one: their mean, with the sum of their weights.
/// `group` has a number for each value and is empty where every value stands for itself.
WeightedValues merge_groups(std::span<const double> values, std::span<const double> weights,
                            std::span<const std::uint32_t> group);

/// Standard error of the weighted mean of values that belong to groups.
double standard_error(std::span<const double> values, std::span<const double> weights,
                      std::span<const std::uint32_t> group);

/// The middle value; with weights the point where half of the weight lies on either side (mean of the two neighbours on
/// a tie), so that a value of weight 2 equals the value twice.
double weighted_median(std::span<const double> values, std::span<const double> weights);

}  // namespace credens::math
