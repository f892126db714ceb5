// SPDX-License-Identifier: Apache-2.0
//
// Data for charts of predictions and observations: calibration, the histogram of PIT values, and whether large errors
// come with large predicted uncertainty.
//
// Weights are those of rows; none: every row counts once. A row of weight 2 equals the row twice.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "score/scorer.hpp"

namespace credens::scoring {

/// One output, row by row, in the units of the data.
struct OutputDiagnostics {
  std::vector<double> observed = {};
  std::vector<double> mean = {};
  std::vector<double> aleatoric_std = {};
  std::vector<double> epistemic_std = {};
  std::vector<double> total_std = {};
  std::vector<double> lower = {};  ///< of the interval for an observation
  std::vector<double> upper = {};
  std::vector<double> function_lower = {};  ///< of the interval for the regression function
  std::vector<double> function_upper = {};
  std::vector<double> pit = {};            ///< F(y) of the mixture
  std::vector<double> classical_pit = {};  ///< F(y) with the members' own width taken away

  std::size_t count() const { return observed.size(); }
};

/// Appends rows to the diagnostics of the first outputs, of which there may be fewer than predictions have.
void diagnose(const Predictive& predictive, MatrixView targets, const IntervalOptions& options,
              std::span<OutputDiagnostics> outputs);

/// A line through points (x, y).
struct Curve {
  std::vector<double> x = {};
  std::vector<double> y = {};
};

/// Share of PIT values up to each of the levels 0.01, ..., 0.99. A calibrated forecast gives the diagonal.
Curve calibration_curve(std::span<const double> pit, std::span<const double> weights);

/// Share of the values in each of `bins` equal parts of [0, 1].
std::vector<double> histogram(std::span<const double> values, std::span<const double> weights, std::size_t bins);

/// Root mean square error of what is left when the rows of largest uncertainty are taken away, for the shares 0, 1 /
/// steps, ..., 1 - 1 / steps taken away. The row on the edge counts in part; of equally uncertain rows the later go
/// first.
Curve sparsification(std::span<const double> errors, std::span<const double> uncertainty,
                     std::span<const double> weights, std::size_t steps);

/// Rows in order of uncertainty, cut into groups of equally many: x = root mean square uncertainty, y = root mean
/// square error. Groups without weight are left out.
Curve error_by_uncertainty(std::span<const double> errors, std::span<const double> uncertainty,
                           std::span<const double> weights, std::size_t groups);

std::vector<std::size_t> ascending(std::span<const double> values);  ///< rows in order; equal values in file order

/// The rows of the largest values, at most `count`, largest first; equal values in file order.
std::vector<std::size_t> largest(std::span<const double> values, std::size_t count);

/// At most `most` of the rows 0, ..., rows - 1, evenly spaced and beginning with the first.
std::vector<std::size_t> evenly_spaced(std::size_t rows, std::size_t most);

}  // namespace credens::scoring
