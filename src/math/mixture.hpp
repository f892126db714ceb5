// SPDX-License-Identifier: Apache-2.0
//
// Mixtures of Gaussians in one dimension. A component may have standard deviation 0: a step at its mean.

#pragma once

#include <span>

namespace credens::math {

/// Weights are positive or zero with sum 1; the spans have equal length >= 1.
struct MixtureView {
  std::span<const double> weight;
  std::span<const double> mean;
  std::span<const double> std;
};

double mixture_mean(const MixtureView& mixture);
double mixture_variance(const MixtureView& mixture);
double mixture_cdf(const MixtureView& mixture, double value);
double mixture_survival(const MixtureView& mixture, double value);     ///< 1 - cdf without cancellation
double mixture_log_density(const MixtureView& mixture, double value);  ///< -inf or +inf where a step demands it

/// The smallest x with F(x) >= p to rounding, p in (0, 1): safeguarded Newton on cdf or survival, whichever is small,
/// and neighbouring doubles where F is steep or flat. One component gives m + s z.
double mixture_quantile(const MixtureView& mixture, double p);

/// Phi^-1(F(value)) from the smaller tail; infinite where that is below Phi(-37), which a double hardly holds.
double mixture_normal_score(const MixtureView& mixture, double value);

/// The value with this normal score, which is finite: as exact in the upper tail as in the lower one.
double mixture_at_score(const MixtureView& mixture, double score);

struct MixtureInterval {
  double lower;
  double upper;
};

/// The shortest interval that holds a value with probability `level` in (0, 1), up to rounding.
MixtureInterval mixture_shortest_interval(const MixtureView& mixture, double level);

/// The smallest U with P(|Y - centre| <= U) >= level, level in (0, 1): the expanded uncertainty of a result `centre`.
double mixture_half_width(const MixtureView& mixture, double centre, double level);

/// Continuous ranked probability score of observing `value` (Grimit et al. 2006):
/// sum_l w_l A(y - m_l, s_l^2) - 1/2 sum_l sum_r w_l w_r A(m_l - m_r, s_l^2 + s_r^2),
/// A(d, v) = 2 sqrt(v) phi(d / sqrt(v)) + d (2 Phi(d / sqrt(v)) - 1), A(d, 0) = |d|.
double mixture_crps(const MixtureView& mixture, double value);

double log_sum_exp(std::span<const double> values);

}  // namespace credens::math
