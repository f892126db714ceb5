// SPDX-License-Identifier: Apache-2.0
//
// The standard normal distribution, exact in both tails, and quantiles of the beta distribution.

#pragma once

namespace credens::math {

constexpr double log_two_pi = 1.8378770664093454835606594728112;

double normal_density(double z);
double normal_cdf(double z);       ///< relative accuracy in the lower tail
double normal_survival(double z);  ///< 1 - cdf, relative accuracy in the upper tail
double normal_quantile(double p);  ///< p in (0, 1)
double normal_log_density(double value, double mean, double variance);

double beta_quantile(double a, double b, double p);  ///< a, b > 0, p in (0, 1)

}  // namespace credens::math
