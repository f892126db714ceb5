// SPDX-License-Identifier: Apache-2.0
//
// Whether probabilities mean what they say: the distribution of PIT values F(y), uniform for a calibrated forecast.

#pragma once

#include <array>

#include "math/statistics.hpp"

namespace credens::scoring {

class Calibration {
 public:
  void add(double pit, double weight);

  /// Mean over the levels 0.01, ..., 0.99 of |share of PIT values <= level - level|.
  double error() const;

 private:
  static constexpr std::size_t levels = 99;
  static double level(std::size_t index) { return static_cast<double>(index + 1) / 100; }

  /// Weight of the values above the previous level and up to this one; the last entry holds those above 0.99.
  std::array<math::CompensatedSum, levels + 1> weight_;
};

}  // namespace credens::scoring
