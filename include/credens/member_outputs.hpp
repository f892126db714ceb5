// SPDX-License-Identifier: Apache-2.0
//
// The arrays that the Bayesian part needs of an ensemble, whoever computed them.

#pragma once

#include <credens/matrix.hpp>

#include <string>
#include <vector>

namespace credens {

/// Outputs of L members at N rows, in the networks' own units (targets after shift and scale). Members that predict
/// classes have logits in place of mean and variance, and C classes in place of q outputs.
struct MemberOutputs {
  std::vector<Matrix> features = {};  ///< L of [N x p_l]: output of the last hidden layer, without a constant 1
  std::vector<Matrix> mean = {};      ///< L of [N x q]
  std::vector<Matrix> variance = {};  ///< L of [N x q], or [N x 1] when the outputs share their noise; > 0
  std::vector<Matrix> logits = {};    ///< of classes: L of [N x C], what goes into softmax

  /// [N x q], or empty; needed for the ELBO. Of classes [N x 1], whole numbers from 0 to C - 1, or [N x C], how often
  /// each class was observed (the row counts as often as their sum) or the shares of the classes.
  Matrix targets = {};
  std::vector<Matrix> last_layer = {};         ///< L of [q x p_l], or none; needed for the ELBO and for evidence
  std::vector<double> row_weights = {};        ///< N values or none
  std::vector<double> member_weights = {};     ///< L values or none (1/L each)
  std::vector<double> target_scale = {};       ///< q values or none (1)
  std::vector<double> target_shift = {};       ///< q values or none (0)
  std::vector<std::string> target_names = {};  ///< q names or none; one for all classes
  std::vector<std::string> classes = {};       ///< C names or none ("0", "1", ...)
  bool has_number_classes = false;             ///< the names in `classes` are numbers

  bool has_classes() const { return !logits.empty(); }
  const std::vector<Matrix>& head() const { return has_classes() ? logits : mean; }  ///< what the last layers give
  std::size_t members() const { return head().size(); }
  std::size_t rows() const { return head().empty() ? 0 : head().front().rows(); }
  std::size_t outputs() const { return head().empty() ? 0 : head().front().cols(); }
};

/// Throws a sentence naming the array, the member and the row where shapes disagree or a value is not usable.
void check(const MemberOutputs& outputs);

}  // namespace credens
