// SPDX-License-Identifier: Apache-2.0
//
// How far a point prediction was off.

#pragma once

#include "score/weighted_mean.hpp"

namespace credens::scoring {

class PointError {
 public:
  void add(double residual, double weight);

  double rmse() const;
  double mae() const { return absolute_.value(); }

 private:
  WeightedMean square_;
  WeightedMean absolute_;
};

}  // namespace credens::scoring
