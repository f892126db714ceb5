// SPDX-License-Identifier: Apache-2.0
//
// The mixtures of members at rows that they did not see, with weights for kinds of members.

#pragma once

#include <span>
#include <vector>

#include "base/random.hpp"
#include "learn/held_out.hpp"

namespace credens::learn {

/// The mixture of each row, of all its cases or of some.
class CaseWeights {
 public:
  CaseWeights(const HeldOut& held_out, std::vector<double> kind_weights)
      : held_out_(held_out), kind_weights_(std::move(kind_weights)), is_used_(held_out.cases(), true) {}

  /// Of every row only `count` cases, chosen at random.
  void keep(std::size_t count, base::RandomStream& random);

  /// -log of the density of each row's mixture, weighted mean. `log_density` has one value per case.
  double mean_nll(std::span<const double> log_density) const;

  const std::vector<double>& kind_weights() const { return kind_weights_; }
  void set(std::vector<double> kind_weights) { kind_weights_ = std::move(kind_weights); }

 private:
  /// log(weight of the case) + log density of the row's cases, and the logarithm of the sum of the weights.
  double weigh(std::size_t row, std::span<const double> log_density, std::vector<double>& terms) const;

  const HeldOut& held_out_;
  std::vector<double> kind_weights_;
  std::vector<bool> is_used_;  ///< per case
};

}  // namespace credens::learn
