// SPDX-License-Identifier: Apache-2.0

#include "score/accumulators.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/check.hpp"

namespace credens::scoring {

namespace {

constexpr unsigned fraction_bits = 52;

/// The middle of the doubles that begin with these bits. 0 and infinity stand for themselves: the middle would be a
/// number beside them, or NaN.
double middle_of(std::uint64_t first_bits, unsigned bits_left) {
  const auto least = std::bit_cast<double>(first_bits << bits_left);
  if (least == 0 || std::isinf(least)) return least;
  return std::bit_cast<double>(first_bits << bits_left | std::uint64_t{1} << (bits_left - 1));
}

}  // namespace

void WeightedMean::add(double value, double weight) {
  if (weight == 0) return;
  weight_.add(weight);
  if (std::isinf(value)) {
    is_infinite_ = true;
  } else {
    sum_.add(weight * value);
  }
}

double WeightedMean::value() const {
  return is_infinite_ ? std::numeric_limits<double>::infinity() : sum_.value() / weight_.value();
}

void PointError::add(double residual, double weight) {
  square_.add(residual * residual, weight);
  absolute_.add(std::abs(residual), weight);
}

double PointError::rmse() const {
  return std::sqrt(square_.value());
}

void IntervalTally::add(double value, double lower, double upper, double weight) {
  const double outside = std::max({lower - value, value - upper, 0.0});
  inside_.add(outside == 0 ? 1 : 0, weight);
  width_.add(upper - lower, weight);
  score_.add(upper - lower + penalty_ * outside, weight);
}

void PitDistribution::add(double pit, double weight) {
  std::size_t index = 0;
  while (index < levels && pit > level(index)) ++index;
  weight_[index].add(weight);
}

std::array<double, PitDistribution::levels> PitDistribution::shares() const {
  math::CompensatedSum total;
  for (const auto& weight : weight_) total.add(weight.value());
  math::CompensatedSum below;
  std::array<double, levels> shares{};
  for (std::size_t i = 0; i < levels; ++i) {
    below.add(weight_[i].value());
    shares[i] = below.value() / total.value();
  }
  return shares;
}

double PitDistribution::error() const {
  const std::array<double, levels> found = shares();
  double sum = 0;
  for (std::size_t i = 0; i < levels; ++i) sum += std::abs(found[i] - level(i));
  return sum / levels;
}

void RunningMedian::add(double value, double weight) {
  if (!by_exponent_.empty()) return count(value, weight);
  values_.push_back(value);
  weights_.push_back(weight);
  if (values_.size() <= most_held_) return;
  for (std::size_t i = 0; i < values_.size(); ++i) count(values_[i], weights_[i]);
  values_ = {};
  weights_ = {};
}

/// The bits of doubles that are not negative are ordered as their values are: exponent first, then the fraction.
void RunningMedian::count(double value, double weight) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // -0 becomes 0
  constexpr std::size_t fractions = std::size_t{1} << digits;
  std::vector<double>& weights = by_exponent_[bits >> fraction_bits];
  weights.resize(fractions);
  weights[bits >> (fraction_bits - digits) & (fractions - 1)] += weight;
}

double RunningMedian::value() const {
  if (by_exponent_.empty()) return math::weighted_median(values_, weights_);
  std::vector<double> values;
  std::vector<double> weights;
  for (const auto& [exponent, of_exponent] : by_exponent_) {
    for (std::size_t i = 0; i < of_exponent.size(); ++i) {
      if (of_exponent[i] == 0) continue;
      values.push_back(middle_of(exponent << digits | i, fraction_bits - digits));
      weights.push_back(of_exponent[i]);
    }
  }
  return math::weighted_median(values, weights);
}

void RowWeights::add(std::span<const double> weights) {
  for (const double weight : weights) {
    base::require(std::isfinite(weight) && weight >= 0, ErrorCode::data,
                  "weights: value {} is {}, expected a finite number that is not negative", count_, weight);
    sum_ += weight;
    largest_ = std::max(largest_, weight);
    ++count_;
  }
}

double RowWeights::largest() const {
  if (count_ == 0) return 1;
  base::require(sum_ > 0 && std::isfinite(sum_), ErrorCode::data,
                "weights has the sum {}, expected a finite number above 0", sum_);
  return largest_;
}

}  // namespace credens::scoring
