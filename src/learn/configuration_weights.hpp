// SPDX-License-Identifier: Apache-2.0
//
// Weights of the configurations in the mixture, by the likelihood of held-out rows.

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
/// sum of row weights. The last term is a prior worth one row for every configuration. Density alone would reward
/// configurations with bad means for being wide where the others err; the second term is the NLL of the mixture's mean
/// with the best constant noise, in the same nats per row. `log_density` has one value per held-out pair.
std::vector<double> best_configuration_weights(const HeldOut& held_out, std::span<const double> log_density,
                                               std::vector<double> start);

}  // namespace credens::learn
