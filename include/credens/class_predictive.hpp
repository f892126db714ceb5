// SPDX-License-Identifier: Apache-2.0
//
// Class probabilities at N rows, and how far to trust them.

#pragma once

#include <credens/matrix.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace credens {

/// The predictive distribution over C classes. Entropies are in nats; entropy = aleatoric + epistemic.
struct ClassPredictive {
  Matrix probability = {};                   ///< [N x C]; each row has the sum 1
  Matrix epistemic_variance = {};            ///< [N x C]: variance of the class's probability over the posterior
  std::vector<double> entropy = {};          ///< [N]: of `probability`
  std::vector<double> aleatoric = {};        ///< [N]: expected entropy, the randomness of the labels themselves
  std::vector<double> epistemic = {};        ///< [N]: mutual information of label and weights, the model's ignorance
  std::vector<double> between_members = {};  ///< [N]: part of `epistemic` that the members' disagreement makes

  std::size_t rows() const { return probability.rows(); }
  std::size_t classes() const { return probability.cols(); }

  /// The most probable class; of equal ones the first.
  std::size_t predicted(std::size_t row) const {
    const auto values = probability.row(row);
    return static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
  }

  bool operator==(const ClassPredictive&) const = default;
};

}  // namespace credens
