// SPDX-License-Identifier: Apache-2.0
//
// Coverage, width and the interval score of central intervals.

#pragma once

#include "score/weighted_mean.hpp"

namespace credens::scoring {

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

}  // namespace credens::scoring
