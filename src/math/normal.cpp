// SPDX-License-Identifier: Apache-2.0

#include "math/normal.hpp"

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>

namespace credens::math {

namespace {

// Double throughout, and limits (0, infinity, NaN) instead of exceptions at the ends of the range.
namespace policies = boost::math::policies;
using InDouble = policies::policy<policies::promote_double<false>, policies::domain_error<policies::ignore_error>,
                                  policies::overflow_error<policies::ignore_error>>;

constexpr double inverse_root_two = 1 / std::numbers::sqrt2;
constexpr double inverse_root_two_pi = std::numbers::inv_sqrtpi * inverse_root_two;

}  // namespace

double normal_density(double z) {
  return inverse_root_two_pi * std::exp(-0.5 * z * z);
}

double normal_cdf(double z) {
  return 0.5 * boost::math::erfc(-z * inverse_root_two, InDouble());
}

double normal_survival(double z) {
  return normal_cdf(-z);
}

double normal_quantile(double p) {
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * p, InDouble());
}

double normal_log_density(double value, double mean, double variance) {
  const double z = (value - mean) / std::sqrt(variance);
  return -0.5 * (log_two_pi + std::log(variance) + z * z);
}

double beta_quantile(double a, double b, double p) {
  return boost::math::ibeta_inv(a, b, p, InDouble());
}

}  // namespace credens::math
