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

/// x becomes log x, for normal numbers x > 0.
void logarithms(std::span<double> values);

/// Entropies in nats.
struct SoftmaxEntropies {
  double expected = 0;  ///< E H(v), between 0 and the other
  double of_mean = 0;   ///< H(E v)
};

/// Moments of v, with room for one thread.
///
/// The sum of an independent normal and Gumbel noise on each logit is largest for class c with probability E v_c, which
/// makes E v a one-dimensional integral for any C:
///
///   F(x)    = E exp(-exp(-x + sqrt(e) xi))                   distribution function of Gumbel + normal
///   E v_c   = int F'(t - z_c) prod_{k != c} F(t - z_k) dt
///   E v_c (1 - v_c) = int F'(t - z_c) sum_{k != c} F'(t - z_k) prod_{i != c, k} F(t - z_i) dt
///   E lse   = m + int exp(-exp(m - t)) - prod_k F(t - z_k) dt,  lse(z) = log sum_c exp(z_c), m = lse(z)
///   E H(v)  = E lse - sum_c z_c E v_c - e sum_c E v_c (1 - v_c)
///
/// The last line is Stein's identity for E sqrt(e) xi_c v_c. `SoftmaxGrid` has the nodes. Errors, at logits of standard
/// deviation 0.5 to 5 and 2 to 100 classes:
///
///   e up to                     0.1       1      4     10
///   E v                        1e-8    1e-8   5e-7   1e-5
///   H(E v) - E H(v)            1e-6    1e-6   1e-5   5e-4
///   standard deviation of v    2e-5    1e-6   5e-6   1e-4
class SoftmaxNormal {
 public:
  explicit SoftmaxNormal(std::size_t classes);

  /// z [C] finite, e >= 0. Writes E v and E v^2 [C].
  ///
  /// e = 0 gives softmax(z), bit for bit. Up to e = 0.0003 the second order in e is used. Beyond e = 10 logits are
  /// divided by sqrt((e + k) / (10 + k)), k = pi^2 / 6, and 10 is used.
  SoftmaxEntropies run(std::span<const double> logits, double variance, std::span<double> probability,
                       std::span<double> square);

 private:
  SoftmaxEntropies integrate(double variance, double scale, std::span<double> probability, std::span<double> square);

  SoftmaxGrid grid_;
  SoftmaxSums sums_;
  std::vector<double> logits_;  ///< scaled
  std::vector<double> share_;   ///< their softmax
};

}  // namespace credens::math
