// SPDX-License-Identifier: Apache-2.0
//
// The mixtures of members at held-out rows, and the weights of the configurations that are best for them.

#pragma once

#include <span>
#include <vector>

#include "base/random.hpp"
#include "learn/held_out.hpp"

namespace credens::learn {

/// The mixture at each held-out row, of all members that the row was held out of or of some.
class HeldOutMixture {
 public:
  HeldOutMixture(const HeldOut& held_out, std::vector<double> configuration_weights)
      : held_out_(held_out),
        configuration_weights_(std::move(configuration_weights)),
        is_used_(held_out.pairs(), true) {}

  /// Keeps at most `count` members of each row's mixture, chosen at random.
  void keep(std::size_t count, base::RandomStream& random);

  /// -log of the density of each row's mixture, weighted mean. `log_density` has one value per held-out pair.
  double mean_nll(std::span<const double> log_density) const;

  const std::vector<double>& configuration_weights() const { return configuration_weights_; }
  void set(std::vector<double> configuration_weights) { configuration_weights_ = std::move(configuration_weights); }

 private:
  /// Writes log(weight) + log density of the row's held-out pairs; returns the logarithm of the sum of the weights.
  double weigh(std::size_t row, std::span<const double> log_density, std::vector<double>& terms) const;

  const HeldOut& held_out_;
  std::vector<double> configuration_weights_;
  std::vector<bool> is_used_;  ///< per held-out pair
};

/// The weights w (>= 0, sum 1) that make the mixture's density and its mean good together: they minimise
///
///   J(w) = mean_r -log p_r(w) + 1/2 sum_k log MSE_k(w) - (m / U) sum_j log w_j
///
/// with p_r the mixture at row r, MSE_k the mean squared error of its mean in output k, means weighted by rows, U the
/// sum of row weights, m the mean number of rows that are held out together. The last term is a prior worth one unit of
/// rows for every configuration. By density alone, a configuration with a poor mean but wide intervals would get too
/// much weight: its density is high at the rows where the others are wrong. The second term judges the mixture's mean:
/// it is the NLL of the mean with the best constant noise, in the same nats per row. `log_density` has one value per
/// held-out pair.
std::vector<double> best_configuration_weights(const HeldOut& held_out, std::span<const double> log_density,
                                               std::vector<double> start);

}  // namespace credens::learn
