// SPDX-License-Identifier: Apache-2.0

#include "score/interval.hpp"

#include <algorithm>

namespace credens::scoring {

void IntervalTally::add(double value, double lower, double upper, double weight) {
  const double outside = std::max({lower - value, value - upper, 0.0});
  inside_.add(outside == 0 ? 1 : 0, weight);
  width_.add(upper - lower, weight);
  score_.add(upper - lower + penalty_ * outside, weight);
}

}  // namespace credens::scoring
