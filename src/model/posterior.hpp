// SPDX-License-Identifier: Apache-2.0
//
// The posterior of one member's last layer: row k of W is Gaussian around the estimate with covariance Sigma_k.
//
// Letters: p features, P = p, or p + 1 when the bias is random too (phi then ends with a constant 1), q outputs.

#pragma once

#include <credens/ensemble.hpp>
#include <credens/matrix.hpp>

#include <optional>
#include <span>
#include <vector>

namespace credens::model {

/// The evidence lower bound of each rung that has one; none where targets or last layers were missing, or lambda is 0.
struct ElboLadder {
  std::optional<double> isotropic;
  std::optional<double> diagonal;
  std::optional<double> full;

  std::optional<double> of(PosteriorKind kind) const;
  bool operator==(const ElboLadder&) const = default;
};

struct MemberPosterior {
  PosteriorKind kind = PosteriorKind::delta;
  bool random_bias = false;
  double gamma = 0;  ///< width of the isotropic rung, whatever the rung; 0 before widening
  Matrix variance;   ///< diagonal rung: [q x P]; classes share one row
  std::vector<Matrix>
      factor;  ///< full rung: upper triangular S [P x P] with Sigma_k = S S^T; one if all outputs share it, else q
  ElboLadder elbo;

  const Matrix& factor_of(std::size_t output) const { return factor.size() == 1 ? factor.front() : factor[output]; }
};

/// phi^T Sigma_k phi, as a squared norm: never negative. `phi` are p features; the constant 1 of a random bias is
/// appended here.
double epistemic_variance(const MemberPosterior& posterior, std::span<const double> phi, std::size_t output);

/// Epistemic variances of every output, computed once where the outputs share their covariance. `variance` [q].
void epistemic_variances(const MemberPosterior& posterior, std::span<const double> phi, std::span<double> variance);

/// P, the number of random weights per output of a member with p features.
std::size_t random_weights(const MemberPosterior& posterior, std::size_t features);

/// S^T phi with Sigma_k = S S^T: P values whose inner products are epistemic covariances.
std::vector<double> whitened(const MemberPosterior& posterior, std::span<const double> phi, std::size_t output);

/// dW_k = S z for standard normal z [P]: a draw of row k of W minus its mean. P values.
std::vector<double> weight_deviation(const MemberPosterior& posterior, std::span<const double> z, std::size_t output);

}  // namespace credens::model
