// SPDX-License-Identifier: Apache-2.0

#include "model/weights.hpp"

#include <cmath>
#include <numeric>

#include "base/check.hpp"

namespace credens::model {

void check_weights(std::span<const double> weights, std::size_t count, std::string_view name) {
  base::require(weights.size() == count, ErrorCode::data, "{} has {} values, expected {}", name, weights.size(), count);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    base::require(std::isfinite(weights[i]) && weights[i] >= 0, ErrorCode::data,
                  "{}: value {} is {}, expected a finite number that is not negative", name, i, weights[i]);
    sum += weights[i];
  }
  base::require(count == 0 || (sum > 0 && std::isfinite(sum)), ErrorCode::data,
                "{} has the sum {}, expected a finite number above 0", name, sum);
}

std::vector<double> normalised(std::vector<double> weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

std::vector<double> uniform_weights(std::size_t count) {
  return std::vector<double>(count, 1.0 / static_cast<double>(count));
}

}  // namespace credens::model
