// SPDX-License-Identifier: Apache-2.0

#include "score/row_weights.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace credens::scoring {

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
