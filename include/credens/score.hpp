// SPDX-License-Identifier: Apache-2.0
//
// Scores of predictions against what was observed. docs/method.md defines each of them.

#pragma once

#include <credens/predictive.hpp>

#include <optional>
#include <span>
#include <vector>

namespace credens {

struct ScoreOptions {
  double level = 0.95;
  IntervalKind interval = IntervalKind::gaussian;
  std::span<const double> weights = {};     ///< row weights or none
  MatrixView truth = {};                    ///< [N x q] noise-free values or empty
  std::span<const double> target_std = {};  ///< q standard deviations of the training targets, for rmse_standardised
};

/// Each is a weighted mean over rows; for several outputs it is the mean of the outputs' own values, which `per_output`
/// holds. Only `nll` and `nll_gaussian` are joint over outputs, in nats per row; in `per_output` they are those of the
/// marginal distributions.
struct Scores {
  double rmse = 0;
  std::optional<double> rmse_standardised;  ///< with target_std
  double mae = 0;
  double epistemic_coverage = 0;
  double total_coverage = 0;
  double epistemic_aleatoric_ratio = 0;
  double epistemic_aleatoric_ratio_median = 0;
  double nll = 0;
  double nll_gaussian = 0;
  double crps = 0;
  double interval_width = 0;
  double interval_score = 0;
  double calibration_error = 0;
  double sharpness = 0;
  std::optional<double> function_coverage;  ///< with truth
  std::optional<double> function_rmse;      ///< with truth
  std::vector<Scores> per_output;           ///< for several outputs
};

/// Throws data for no rows, other shapes than [N x q], values that are not finite, and weights that are negative or all
/// zero.
Scores score(const Predictive& predictive, MatrixView targets, const ScoreOptions& options = {});

}  // namespace credens
