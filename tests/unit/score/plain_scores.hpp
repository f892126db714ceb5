// SPDX-License-Identifier: Apache-2.0
//
// Every score as a plain slow loop, in the words of docs/method.md, for one output and with weights that are whole
// numbers of copies.

#pragma once

#include <credens/predictive.hpp>
#include <credens/score.hpp>

namespace credens::scoring {

/// Scores of output `output` alone; `copies[i]` counts row i that many times. No truth, no standardisation.
Scores plain_scores(const Predictive& predictive, const Matrix& targets, std::size_t output,
                    const std::vector<std::size_t>& copies, const ScoreOptions& options);

/// The mean over rows of the negative log density of the Gaussian with the mixture's moments, by Gaussian elimination.
double plain_gaussian_nll(const Predictive& predictive, const Matrix& targets, const std::vector<std::size_t>& copies);

/// Numerical integral of (F(t) - 1{t >= y})^2.
double integrated_crps(const Predictive& predictive, std::size_t row, std::size_t output, double value);

}  // namespace credens::scoring
