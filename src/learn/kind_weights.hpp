// SPDX-License-Identifier: Apache-2.0
//
// How much each kind of members counts, by what they say of rows that they did not see.

#pragma once

#include <span>
#include <vector>

#include "learn/held_out.hpp"

namespace credens::learn {

/// The weights w (>= 0, sum 1) that make the mixture's density and its mean good together: they minimise
///
///   J(w) = mean_r -log p_r(w) + 1/2 sum_k log MSE_k(w) - (1 / U) sum_j log w_j
///
/// with p_r the mixture at row r, MSE_k the mean squared error of its mean in output k, means weighted by rows, U the
/// sum of row weights: one row's worth of evidence for every kind beforehand. Density alone would pay kinds with bad
/// means for being wide where the others err; the second term is the NLL of the mixture's mean with the best constant
/// noise, and so counts in the same nats per row. `log_density` has one value per case.
std::vector<double> best_kind_weights(const HeldOut& held_out, std::span<const double> log_density,
                                      std::vector<double> start);

}  // namespace credens::learn
