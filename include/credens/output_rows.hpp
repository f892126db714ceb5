// SPDX-License-Identifier: Apache-2.0
//
// Rows of a foreign ensemble where they lie, so that nobody has to copy them.

#pragma once

#include <credens/ensemble.hpp>
#include <credens/matrix.hpp>
#include <credens/member_outputs.hpp>

#include <span>
#include <vector>

namespace credens {

/// Outputs of L members at some rows, in the networks' own units: the arrays of MemberOutputs as views, which must
/// outlive the call they are given to.
struct OutputRows {
  OutputRows() = default;
  OutputRows(const MemberOutputs& outputs);  ///< its rows; what belongs to members or outputs is left out

  std::vector<MatrixView> features = {};     ///< L of [n x p_l]
  std::vector<MatrixView> mean = {};         ///< L of [n x q]
  std::vector<MatrixView> variance = {};     ///< L of [n x q], or [n x 1] when the outputs share their noise; > 0
  std::vector<MatrixView> logits = {};       ///< of classes, in place of mean and variance: L of [n x C]
  MatrixView targets = {};                   ///< as in MemberOutputs, or empty
  std::span<const double> row_weights = {};  ///< n values or none

  bool has_classes() const { return !logits.empty(); }
  const std::vector<MatrixView>& head() const { return has_classes() ? logits : mean; }
  std::size_t members() const { return head().size(); }
  std::size_t rows() const { return head().empty() ? 0 : head().front().rows(); }
  std::size_t outputs() const { return head().empty() ? 0 : head().front().cols(); }
};

/// Throws data with a sentence naming the array, the member and the row, which is counted from `first_row`.
void check(const OutputRows& rows, std::size_t first_row = 0);

/// As Ensemble::predict, Ensemble::predict_classes and Ensemble::sample for MemberOutputs.
Predictive predict(const Ensemble& ensemble, const OutputRows& rows, int threads = 0);
ClassPredictive predict_classes(const Ensemble& ensemble, const OutputRows& rows, const ClassOptions& options = {});
Samples sample(const Ensemble& ensemble, const OutputRows& rows, const SampleOptions& options = {});

}  // namespace credens
