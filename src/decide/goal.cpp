// SPDX-License-Identifier: Apache-2.0

#include "decide/goal.hpp"

#include <algorithm>
#include <cmath>

#include "math/normal.hpp"

namespace credens::decide {

double expected_excess(double mean, double std) {
  if (!(std > 0)) return std::max(mean, 0.0);
  const double z = mean / std;
  return std::max(0.0, std * (z * math::normal_cdf(z) + math::normal_density(z)));
}

double expected_distance(double mean, double std) {
  return expected_excess(mean, std) + expected_excess(-mean, std);
}

double expected_closeness(double mean, double std, double reach) {
  const double closeness =
      expected_excess(mean + reach, std) - 2 * expected_excess(mean, std) + expected_excess(mean - reach, std);
  return std::max(0.0, closeness);
}

double learnable_std(double variance, double noise_variance) {
  return variance > 0 ? variance / std::sqrt(variance + noise_variance) : 0;
}

}  // namespace credens::decide
