// SPDX-License-Identifier: Apache-2.0
//
// Calibration by the likelihood of held-out rows: weights of the configurations, and maps that correct the noise.
// Networks that are trained until their means are good have overfitted noise: too small by a factor and with too steep
// a slope.

#pragma once

#include <vector>

#include "learn/held_out.hpp"

namespace credens::learn {

/// Recalibration of the noise: log s^2 becomes shift + slope log s^2.
struct NoiseMap {
  double shift = 0;
  double slope = 1;

  double at(double log_variance) const { return shift + slope * log_variance; }
};

/// Tail components: replicates with wider noise, so that the mixture has tails as heavy as those of the errors.
struct Tails {
  double share = 0;  ///< of the replicates of each configuration
  double shift = 0;  ///< added to their log s^2
};

struct Calibration {
  std::vector<std::vector<NoiseMap>> noise;  ///< [configuration][noise unit]
  Tails tails;
  double largest_noise = 0;                   ///< upper bound of log s^2: the largest squared held-out error
  std::vector<double> configuration_weights;  ///< sum 1, shared equally by replicates
  double nll_before = 0;                      ///< mean over the held-out rows, in network units
  double nll_after = 0;                       ///< before the correction for the number of members of new rows
};

/// Every row counts with its weight. The mixture at a row is that of the members it was held out of, each widened by
/// the isotropic posterior that its noise implies. `options` have all choices made.
Calibration calibrate(const HeldOut& held_out, const FitOptions& options);

}  // namespace credens::learn
