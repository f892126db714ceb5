// SPDX-License-Identifier: Apache-2.0
//
// A mean of values that arrive one at a time.

#pragma once

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

}  // namespace credens::scoring
