// SPDX-License-Identifier: Apache-2.0
//
// The charts of `report` for one output of a model.

#pragma once

#include <credens/score.hpp>

#include <span>
#include <string>
#include <vector>

#include "report/page.hpp"
#include "score/diagnostics.hpp"

namespace credens::report {

struct ChartedOutput {
  std::string name;
  const scoring::OutputDiagnostics& rows;
  std::span<const double> weights;  ///< of rows; none: every row counts once
  const Scores& scores;
  double level = 0.95;
  bool is_extended = true;    ///< whether members have a width that a classical ensemble lacks
  std::size_t most_rows = 0;  ///< drawn one by one in a chart
};

std::vector<Figure> output_figures(const ChartedOutput& output);

/// The shares [low, high] of n rows that 95 % of calibrated models have in an event of probability p:
/// p +- 1.96 sqrt(p (1 - p) / n), at least 0 and at most 1.
Range expected_shares(double p, double rows);

/// 0.95 -> "95 %"
std::string level_text(double level);

/// Epistemic by total variance, row by row.
std::vector<double> epistemic_shares(const scoring::OutputDiagnostics& rows);

}  // namespace credens::report
