// SPDX-License-Identifier: Apache-2.0
//
// One output at one row of a predictive distribution: its moments, and its mixture as math/mixture.hpp wants it.

#pragma once

#include <credens/predictive.hpp>

#include <cstddef>
#include <vector>

#include "math/mixture.hpp"

namespace credens::model {

/// With w_l, m_l, s_l^2, e_l the components: mean m = sum_l w_l m_l, aleatoric = sum_l w_l s_l^2,
/// between = sum_l w_l (m_l - m)^2, within = sum_l w_l e_l (paper, eq. 1.2, 1.3, 6.1, 6.2).
///
/// Uncertain inputs: `input` is the variance of the members' common mean; `between` then is what is left of the spread
/// of the components' means, with that of their slopes.
struct Moments {
  double mean = 0;
  double aleatoric = 0;
  double between = 0;
  double within = 0;
  double input = 0;
  double slopes = 0;  ///< first order: sum_l w_l of the members' slope variances, parts of `between` and `input`

  double epistemic() const { return between + within; }
  double total() const { return aleatoric + epistemic() + input; }
};

Moments moments_at(const MixtureComponents& components, std::size_t row, std::size_t output);

/// sum_l w_l (m_la - m_a)(m_lb - m_b) for outputs a and b of a row.
double between_covariance(const MixtureComponents& components, std::size_t row, std::size_t a, std::size_t b);

/// The covariance of the mixture's mean between outputs a and b of a row because of uncertain inputs.
double input_covariance(const MixtureComponents& components, std::size_t row, std::size_t a, std::size_t b);

/// Gathers marginal mixtures into room of its own: a view lasts until the next call. Members of weight zero are left
/// out.
class MarginalReader {
 public:
  explicit MarginalReader(const MixtureComponents& components);

  /// The mixture of an observation; without noise that of the regression function, whose stds may be 0.
  math::MixtureView gather(std::size_t row, std::size_t output, bool with_noise = true);

 private:
  const MixtureComponents& components_;
  std::vector<std::size_t> members_;
  std::vector<double> weight_;
  std::vector<double> mean_;
  std::vector<double> std_;
};

}  // namespace credens::model
