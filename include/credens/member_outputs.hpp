// SPDX-License-Identifier: Apache-2.0
//
// The arrays that the Bayesian part needs of an ensemble, whoever computed them.

#pragma once

#include <credens/matrix.hpp>

#include <string>
#include <vector>

namespace credens {

/// Outputs of L members at N rows, in the networks' own units (targets after shift and scale).
struct MemberOutputs {
  std::vector<Matrix> features = {};  ///< L of [N x p_l]: output of the last hidden layer, without a constant 1
  std::vector<Matrix> mean = {};      ///< L of [N x q]
  std::vector<Matrix> variance = {};  ///< L of [N x q], or [N x 1] when the outputs share their noise; > 0

  Matrix targets = {};                      ///< [N x q] or empty; needed for the ELBO
  std::vector<Matrix> last_layer = {};      ///< L of [q x p_l], or none; needed for the ELBO and for evidence
  std::vector<double> row_weights = {};     ///< N values or none
  std::vector<double> member_weights = {};  ///< L values or none (1/L each)
  std::vector<double> target_scale = {};    ///< q values or none (1)
  std::vector<double> target_shift = {};    ///< q values or none (0)
  std::vector<std::string> target_names = {};

  std::size_t members() const { return mean.size(); }
  std::size_t rows() const { return mean.empty() ? 0 : mean.front().rows(); }
  std::size_t outputs() const { return mean.empty() ? 0 : mean.front().cols(); }
};

/// Throws a sentence naming the array, the member and the row where shapes disagree or a value is not usable.
void check(const MemberOutputs& outputs);

}  // namespace credens
