// SPDX-License-Identifier: Apache-2.0
//
// The parts of the uncertainty of predictions, in the mean over rows.

#pragma once

#include <credens/predictive.hpp>

#include <span>
#include <string>
#include <vector>

#include "report/page.hpp"

namespace credens::report {

/// Sums over rows that come in blocks.
class MeanBudget {
 public:
  /// `weights` of rows are empty or relative to the largest.
  void add(const Predictive& predictive, std::span<const double> weights);

  /// A table for each of these outputs, with their names and units.
  Section section(std::span<const std::string> labels) const;

 private:
  struct Part {
    std::string name;
    bool adds_up = true;
    std::vector<double> squares;  ///< by output: sum over rows of weight times variance
  };

  std::vector<Part> parts_;
  double weight_ = 0;
};

}  // namespace credens::report
