// SPDX-License-Identifier: Apache-2.0

#include "model/weights.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.hpp"

namespace credens::model {

void RowWeights::add(std::span<const double> weights) {
  for (const double weight : weights) {
    base::require(std::isfinite(weight) && weight >= 0, ErrorCode::data,
                  "{}: value {} is {}, expected a finite number that is not negative", name_, next_, weight);
    ++next_;
    is_empty_ = false;
    sum_ += weight;
    largest_ = std::max(largest_, weight);
  }
}

void RowWeights::check_sum() const {
  base::require(is_empty_ || (sum_ > 0 && std::isfinite(sum_)), ErrorCode::data,
                "{} has the sum {}, expected a finite number above 0", name_, sum_);
}

double RowWeights::largest() const {
  check_sum();
  return is_empty_ ? 1 : largest_;
}

void check_weights(std::span<const double> weights, std::size_t count, std::string_view name) {
  base::require(weights.size() == count, ErrorCode::data, "{} has {} values, expected {}", name, weights.size(), count);
  RowWeights checked{std::string(name)};
  checked.add(weights);
  checked.check_sum();
}

void check_mixture_weights(std::span<const double> weights) {
  for (const double weight : weights) {
    base::require(weight >= 0 && weight <= 1, ErrorCode::usage,
                  "a member's weight is {}, expected a number from 0 to 1", weight);
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  base::require(std::abs(sum - 1) <= 1e-9, ErrorCode::usage, "the weights of the members have the sum {}, expected 1",
                sum);
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
