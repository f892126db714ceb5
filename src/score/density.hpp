// SPDX-License-Identifier: Apache-2.0
//
// The density that a forecast gave to what was observed, for the Gaussian with the mixture's moments.

#pragma once

#include <credens/predictive.hpp>

#include <span>

namespace credens::scoring {

/// log N(y; m, C) with the mean m and the total covariance C [q x q] of a row, jointly over its outputs.
/// Sentences count rows from `first_row` on.
double gaussian_log_density(const Predictive& predictive, std::size_t row, std::span<const double> values,
                            std::size_t first_row = 0);

}  // namespace credens::scoring
