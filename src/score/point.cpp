// SPDX-License-Identifier: Apache-2.0

#include "score/point.hpp"

#include <cmath>

namespace credens::scoring {

void PointError::add(double residual, double weight) {
  square_.add(residual * residual, weight);
  absolute_.add(std::abs(residual), weight);
}

double PointError::rmse() const {
  return std::sqrt(square_.value());
}

}  // namespace credens::scoring
