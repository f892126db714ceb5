// SPDX-License-Identifier: Apache-2.0
//
// Member weights and the size of the noise, by the likelihood of rows that members did not see. Networks that are
// trained to the end have good means and noise that is too small by a factor and by a slope; both are found here.

#pragma once

#include <cstdint>
#include <vector>

#include "learn/held_out.hpp"

namespace credens::learn {

/// log s^2 becomes shift + slope log s^2.
struct NoiseMap {
  double shift = 0;
  double slope = 1;

  double at(double log_variance) const { return shift + slope * log_variance; }
};

struct CalibrationTask {
  bool recalibrate = true;
  bool correct_size = true;
  bool weigh_members = true;
  double prior_precision = 1;  ///< lambda
  std::uint64_t seed = 0;
};

/// Some of each kind's members have wider noise: together they have the tails that errors have.
struct Tails {
  double share = 0;  ///< of each kind's members
  double shift = 0;  ///< of their log s^2
};

struct Calibration {
  std::vector<std::vector<NoiseMap>> noise;  ///< of each kind, one per noise unit
  Tails tails;
  double largest_noise = 0;          ///< log s^2 above which no row held out has its squared error
  std::vector<double> kind_weights;  ///< sum 1, shared equally by the members of a kind
  double nll_before = 0;             ///< mean over the rows held out, in network units
  double nll_after = 0;              ///< before the correction of size, which looks at new rows
};

/// Every row counts with its weight; the mixture at a row is that of the members that did not see it, each widened by
/// the isotropic posterior that its noise implies.
Calibration calibrate(const HeldOut& held_out, const CalibrationTask& task);

}  // namespace credens::learn
