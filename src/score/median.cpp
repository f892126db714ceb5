// SPDX-License-Identifier: Apache-2.0

#include "score/median.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include "math/statistics.hpp"

namespace credens::scoring {

namespace {

constexpr unsigned fraction_bits = 52;

/// The middle of the doubles whose first bits these are. 0 and infinity are what they are: the middle would be a number
/// beside them, or none.
double middle_of(std::uint64_t first_bits, unsigned bits_left) {
  const auto least = std::bit_cast<double>(first_bits << bits_left);
  if (least == 0 || std::isinf(least)) return least;
  return std::bit_cast<double>(first_bits << bits_left | std::uint64_t{1} << (bits_left - 1));
}

}  // namespace

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

}  // namespace credens::scoring
