// SPDX-License-Identifier: Apache-2.0
//
// Scores of one output as sums over rows that arrive one at a time, each with its weight.

#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "math/statistics.hpp"

namespace credens::scoring {

/// sum_i u_i x_i / sum_i u_i. Infinite as soon as one value that counts is: an observation can be that far out.
class WeightedMean {
 public:
  void add(double value, double weight) {
    if (weight == 0) return;
    weight_.add(weight);
    if (std::isinf(value)) {
      is_infinite_ = true;
    } else {
      sum_.add(weight * value);
    }
  }

  double value() const {
    return is_infinite_ ? std::numeric_limits<double>::infinity() : sum_.value() / weight_.value();
  }

 private:
  math::CompensatedSum sum_;
  math::CompensatedSum weight_;
  bool is_infinite_ = false;
};

/// The distribution of PIT values F(y), which is uniform for a calibrated forecast.
class PitDistribution {
 public:
  static constexpr std::size_t levels = 99;
  static double level(std::size_t index) { return static_cast<double>(index + 1) / 100; }

  void add(double pit, double weight) {
    std::size_t index = 0;
    while (index < levels && pit > level(index)) ++index;
    weight_[index].add(weight);
  }

  /// Share of PIT values <= level, for each of the levels 0.01, ..., 0.99.
  std::array<double, levels> shares() const {
    math::CompensatedSum total;
    for (const auto& weight : weight_) total.add(weight.value());
    math::CompensatedSum below;
    std::array<double, levels> found{};
    for (std::size_t i = 0; i < levels; ++i) {
      below.add(weight_[i].value());
      found[i] = below.value() / total.value();
    }
    return found;
  }

  /// Calibration error: mean over the levels of |share - level|.
  double error() const {
    const std::array<double, levels> found = shares();
    double sum = 0;
    for (std::size_t i = 0; i < levels; ++i) sum += std::abs(found[i] - level(i));
    return sum / levels;
  }

 private:
  /// Weight of the values above the previous level and up to this one; the last entry holds those above 0.99.
  std::array<math::CompensatedSum, levels + 1> weight_;
};

/// The weighted median of values that are not negative, in bounded memory: exact for up to `most_held` values. Of more,
/// each is rounded to 13 binary digits, so that the median is off by at most 1 part in 8192.
class RunningMedian {
 public:
  explicit RunningMedian(std::size_t most_held) : most_held_(most_held) {}

  void add(double value, double weight) {
    if (!by_exponent_.empty()) return count(value, weight);
    values_.push_back(value);
    weights_.push_back(weight);
    if (values_.size() <= most_held_) return;
    for (std::size_t i = 0; i < values_.size(); ++i) count(values_[i], weights_[i]);
    values_ = {};
    weights_ = {};
  }

  /// As math::weighted_median.
  double value() const {
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

 private:
  static constexpr std::size_t digits = 12;  ///< behind the first one, which doubles do not store
  static constexpr unsigned fraction_bits = 52;

  /// The bits of doubles that are not negative are ordered as their values are: exponent first, then the fraction.
  void count(double value, double weight) {
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // -0 becomes 0
    constexpr std::size_t fractions = std::size_t{1} << digits;
    std::vector<double>& weights = by_exponent_[bits >> fraction_bits];
    weights.resize(fractions);
    weights[bits >> (fraction_bits - digits) & (fractions - 1)] += weight;
  }

  /// The middle of the doubles that begin with these bits. 0 and infinity stand for themselves: the middle would be a
  /// number beside them, or NaN.
  static double middle_of(std::uint64_t first_bits, unsigned bits_left) {
    const auto least = std::bit_cast<double>(first_bits << bits_left);
    if (least == 0 || std::isinf(least)) return least;
    return std::bit_cast<double>(first_bits << bits_left | std::uint64_t{1} << (bits_left - 1));
  }

  std::size_t most_held_;
  std::vector<double> values_;
  std::vector<double> weights_;
  std::map<std::size_t, std::vector<double>> by_exponent_;  ///< the weight of each rounded value; empty: all held
};

}  // namespace credens::scoring
