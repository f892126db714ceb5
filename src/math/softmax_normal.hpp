// SPDX-License-Identifier: Apache-2.0
//
// Probabilities of classes: the softmax of logits, its entropy, and the moments of both where the logits are uncertain.
//
// Letters: C classes, z logits, e the variance of each logit, xi standard normal in C dimensions,
// v = softmax(z + sqrt(e) xi), H(p) = -sum_c p_c log p_c in nats.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "math/softmax_grid.hpp"

namespace credens::math {

/// p_c = exp(z_c) / sum_k exp(z_k), for finite logits; what is below e^-708 of the largest becomes 0.
void softmax(std::span<const double> logits, std::span<double> probability);

/// H(p); probabilities of 0 add nothing.
double entropy(std::span<const double> probability);

/// Moments of v, with room for one thread.
///
/// The sum of an independent normal and Gumbel noise on each logit is largest for class c with probability E v_c, which
/// makes E v a one-dimensional integral for any C:
///
///   F(x)    = E exp(-exp(-x + sqrt(e) xi))                   distribution function of Gumbel + normal
///   E v_c   = int F'(t - z_c) prod_{k != c} F(t - z_k) dt
///   E v_c^2 = int (F' + F'')(t - z_c) prod_{k != c} F(t - z_k) dt
///   E lse   = m + int exp(-exp(m - t)) - prod_k F(t - z_k) dt,  lse(z) = log sum_c exp(z_c), m = lse(z)
///   E H(v)  = E lse - sum_c z_c E v_c - e sum_c (E v_c - E v_c^2)
///
/// The last line is Stein's identity for E sqrt(e) xi_c v_c. `SoftmaxGrid` has the nodes.
class SoftmaxNormal {
 public:
  explicit SoftmaxNormal(std::size_t classes);

  /// z [C] finite, e >= 0. Writes E v and E v^2 [C] and returns E H(v), which lies between 0 and H(E v).
  ///
  /// e = 0 gives softmax(z), bit for bit. Up to e = 0.001 the second order in e is used. Beyond e = 10 logits are
  /// divided by sqrt((e + k) / (10 + k)), k = pi^2 / 6, and 10 is used.
  double run(std::span<const double> logits, double variance, std::span<double> probability, std::span<double> square);

 private:
  double integrate(double variance, double scale, std::span<double> probability, std::span<double> square);

  SoftmaxGrid grid_;
  SoftmaxSums sums_;
  std::vector<double> logits_;  ///< scaled
  std::vector<double> share_;   ///< their softmax
};

}  // namespace credens::math
