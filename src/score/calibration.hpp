// SPDX-License-Identifier: Apache-2.0
//
// Whether probabilities mean what they say: the distribution of PIT values F(y), uniform for a calibrated forecast.

#pragma once

#include <array>

#include "math/statistics.hpp"

namespace credens::scoring {

class Calibration {
 public:
  static constexpr std::size_t levels = 99;
  static double level(std::size_t index) { return static_cast<double>(index + 1) / 100; }

  void add(double pit, double weight);

  /// Share of PIT values <= level, for each of the levels 0.01, ..., 0.99.
  std::array<double, levels> shares() const;

  /// Mean over the levels of |share - level|.
  double error() const;

 private:
  /// Weight of the values above the previous level and up to this one; the last entry holds those above 0.99.
  std::array<math::CompensatedSum, levels + 1> weight_;
};

}  // namespace credens::scoring
