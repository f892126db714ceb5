// SPDX-License-Identifier: Apache-2.0

#include "score/density.hpp"

#include <cmath>
#include <vector>

#include "base/check.hpp"
#include "math/linalg.hpp"
#include "math/normal.hpp"
#include "model/marginal.hpp"

namespace credens::scoring {

namespace {

/// |x|^2 for L x = z with lower triangular L.
double squared_solution(const Matrix& lower, std::vector<double> z) {
  double sum = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) z[i] -= lower(i, j) * z[j];
    z[i] /= lower(i, i);
    sum += z[i] * z[i];
  }
  return sum;
}

}  // namespace

// The covariance is D + B: D diagonal, noise and the members' own widths; B between members. With everything divided by
// the roots of D it becomes I + B', positive definite also in rounded arithmetic unless members differ by some 1e8
// standard deviations.
double gaussian_log_density(const Predictive& predictive, std::size_t row, std::span<const double> values,
                            std::size_t first_row) {
  const MixtureComponents& components = predictive.components();
  const std::size_t q = values.size();
  std::vector<double> root(q);
  std::vector<double> z(q);
  Matrix scaled(q, q);
  double log_density = -0.5 * static_cast<double>(q) * math::log_two_pi;
  for (std::size_t a = 0; a < q; ++a) {
    const model::Moments moments = model::moments_at(components, row, a);
    root[a] = std::sqrt(moments.aleatoric + moments.within);
    z[a] = (values[a] - moments.mean) / root[a];
    log_density -= std::log(root[a]);
    for (std::size_t b = 0; b <= a; ++b) {
      scaled(a, b) = scaled(b, a) = model::between_covariance(components, row, a, b) / (root[a] * root[b]);
    }
    scaled(a, a) += 1;
  }
  const auto lower = math::cholesky(scaled);
  base::require(lower.has_value(), ErrorCode::numerical,
                "row {}: the total covariance of the outputs is not positive definite, its members differ by more than "
                "double precision can hold",
                first_row + row);
  return log_density - 0.5 * (math::log_determinant(*lower) + squared_solution(*lower, std::move(z)));
}

}  // namespace credens::scoring
