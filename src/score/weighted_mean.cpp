// SPDX-License-Identifier: Apache-2.0

#include "score/weighted_mean.hpp"

#include <cmath>
#include <limits>

namespace credens::scoring {

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

}  // namespace credens::scoring
