// SPDX-License-Identifier: Apache-2.0
//
// Scores of one output as sums over rows that arrive one at a time, each with its weight.

#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "math/statistics.hpp"

namespace credens::scoring {

/// sum_i u_i x_i / sum_i u_i. Infinite as soon as one value that counts is: an observation can be that far out.
class WeightedMean {
 public:
  void add(double value, double weight);
  double value() const;

 private:
  math::CompensatedSum sum_;
  math::CompensatedSum weight_;
  bool is_infinite_ = false;
};

/// Errors of a point prediction.
class PointError {
 public:
  void add(double residual, double weight);

  double rmse() const;
  double mae() const { return absolute_.value(); }

 private:
  WeightedMean square_;
  WeightedMean absolute_;
};

/// Coverage, width and score of central intervals.
class IntervalTally {
 public:
  explicit IntervalTally(double level) : penalty_(2 / (1 - level)) {}

  void add(double value, double lower, double upper, double weight);

  double coverage() const { return inside_.value(); }  ///< share of values with lower <= value <= upper
  double width() const { return width_.value(); }
  /// Mean of width + (2 / alpha) (distance by which the value lies outside), alpha = 1 - level (Gneiting and Raftery
  /// 2007).
  double score() const { return score_.value(); }

 private:
  double penalty_;
  WeightedMean inside_;
  WeightedMean width_;
  WeightedMean score_;
};

/// The distribution of PIT values F(y), which is uniform for a calibrated forecast.
class PitDistribution {
 public:
  static constexpr std::size_t levels = 99;
  static double level(std::size_t index) { return static_cast<double>(index + 1) / 100; }

  void add(double pit, double weight);

  /// Share of PIT values <= level, for each of the levels 0.01, ..., 0.99.
  std::array<double, levels> shares() const;

  /// Calibration error: mean over the levels of |share - level|.
  double error() const;

 private:
  /// Weight of the values above the previous level and up to this one; the last entry holds those above 0.99.
  std::array<math::CompensatedSum, levels + 1> weight_;
};

/// The weighted median of values that are not negative, in bounded memory: exact for up to `most_held` values. Of more,
/// each is rounded to 13 binary digits, so that the median is off by at most 1 part in 8192.
class RunningMedian {
 public:
  explicit RunningMedian(std::size_t most_held) : most_held_(most_held) {}

  void add(double value, double weight);
  double value() const;  ///< as math::weighted_median

 private:
  static constexpr std::size_t digits = 12;  ///< behind the first one, which doubles do not store

  void count(double value, double weight);

  std::size_t most_held_;
  std::vector<double> values_;
  std::vector<double> weights_;
  std::map<std::size_t, std::vector<double>> by_exponent_;  ///< the weight of each rounded value; empty: all held
};

/// Checks row weights, which arrive in blocks before anything is scored with them.
class RowWeights {
 public:
  void add(std::span<const double> weights);  ///< throws data for what is negative or not finite

  /// By which weights are divided, so that no product with a score overflows; 1 without weights. Throws data where the
  /// sum is 0 or not finite.
  double largest() const;

 private:
  std::size_t count_ = 0;
  double sum_ = 0;
  double largest_ = 0;
};

}  // namespace credens::scoring
