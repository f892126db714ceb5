// SPDX-License-Identifier: Apache-2.0
//
// The posterior ladder in closed form: widths, ELBO and the evidence for lambda (paper, Theorem 3 and eq. 7.5 to 7.9).
//
// Letters: A_k = lambda I + G_k, G_k = sum_i u_i phi_i phi_i^T / s_ik^2 [P x P], q outputs, W [q x P] the last layer's
// estimate.

#pragma once

#include <optional>
#include <span>

#include "learn/statistics.hpp"
#include "model/posterior.hpp"

namespace credens::learn {

/// gamma = q P / sum_k trace(A_k): the maximiser of the ELBO over N(W, gamma I). With shared noise the paper's
/// P / (sum_i |phi_i|^2 / s_i^2 + P lambda). Throws numerical where no finite width exists: lambda = 0 and no rows.
double isotropic_width(const MemberStatistics& statistics, double prior_precision);

/// ELBO = ll - lambda |W|^2 / 2 + q P (1 + log lambda) / 2 - sum_k [trace(A_k Sigma_k) - log det Sigma_k] / 2, lambda >
/// 0. `squared_norm` = |W|^2, with the bias where that is random.
double isotropic_elbo(const MemberStatistics& statistics, double squared_norm, double prior_precision, double gamma);
double diagonal_elbo(const MemberStatistics& statistics, double squared_norm, double prior_precision);

/// The posterior of a rung with the ELBO of every rung; without `squared_norm` (last layer or targets not known), or
/// with lambda = 0, no ELBO. Throws usage where lambda = 0 forbids the rung, numerical where A is not positive
/// definite.
model::MemberPosterior make_posterior(const MemberStatistics& statistics, std::optional<double> squared_norm,
                                      PosteriorKind kind, double prior_precision);

/// The lambda that maximises the sum of the members' full-rung ELBOs: the root of
/// sum_{l,k,j} d_lkj / (lambda + d_lkj) = lambda sum_l |W_l|^2, d the eigenvalues of G. Throws numerical where there is
/// none: all features or all last layers are zero.
double evidence_precision(std::span<const MemberStatistics> members, std::span<const double> squared_norms);

}  // namespace credens::learn
