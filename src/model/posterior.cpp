// SPDX-License-Identifier: Apache-2.0

#include "model/posterior.hpp"

#include <algorithm>
#include <cmath>

#include "math/linalg.hpp"

namespace credens::model {

namespace {

/// In four chains, so that an addition need not wait for the one before.
double dot(std::span<const double> a, std::span<const double> b) {
  double sums[4] = {};
  std::size_t j = 0;
  for (; j + 4 <= a.size(); j += 4) {
    for (std::size_t c = 0; c < 4; ++c) sums[c] += a[j + c] * b[j + c];
  }
  for (; j < a.size(); ++j) sums[0] += a[j] * b[j];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// phi, with the constant 1 of a random bias.
std::vector<double> with_constant(const MemberPosterior& posterior, std::span<const double> phi) {
  std::vector<double> extended(phi.begin(), phi.end());
  if (posterior.random_bias) extended.push_back(1);
  return extended;
}

/// sum_j variance_j phi_j^2; the last variance belongs to the bias where that is random.
double diagonal_variance(std::span<const double> variance, std::span<const double> phi) {
  double sum = variance.size() > phi.size() ? variance.back() : 0;
  for (std::size_t j = 0; j < phi.size(); ++j) sum += variance[j] * phi[j] * phi[j];
  return sum;
}

double full_variance(const MemberPosterior& posterior, std::span<const double> phi, std::size_t output) {
  return math::squared_norm_through(posterior.factor_of(output), phi);
}

/// y = S^T x for upper triangular S.
std::vector<double> transposed_product(const Matrix& upper, std::span<const double> x) {
  std::vector<double> y(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = i; j < x.size(); ++j) y[j] += upper(i, j) * x[i];
  }
  return y;
}

/// y = S x for upper triangular S.
std::vector<double> product(const Matrix& upper, std::span<const double> x) {
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = dot(upper.row(i).subspan(i), x.subspan(i));
  return y;
}

/// D^(1/2) x for the diagonal covariance D of the delta, isotropic and diagonal rungs.
std::vector<double> scaled_by_std(const MemberPosterior& posterior, std::vector<double> x, std::size_t output) {
  for (std::size_t j = 0; j < x.size(); ++j) {
    switch (posterior.kind) {
      case PosteriorKind::isotropic:
        x[j] *= std::sqrt(posterior.gamma);
        break;
      case PosteriorKind::diagonal:
        x[j] *= std::sqrt(posterior.variance(std::min(output, posterior.variance.rows() - 1), j));
        break;
      default:
        x[j] = 0;
    }
  }
  return x;
}

bool outputs_share_covariance(const MemberPosterior& posterior) {
  return posterior.kind != PosteriorKind::diagonal &&
         (posterior.kind != PosteriorKind::full || posterior.factor.size() == 1);
}

}  // namespace

std::optional<double> ElboLadder::of(PosteriorKind kind) const {
  switch (kind) {
    case PosteriorKind::isotropic:
      return isotropic;
    case PosteriorKind::diagonal:
      return diagonal;
    case PosteriorKind::full:
      return full;
    case PosteriorKind::delta:
      break;
  }
  return std::nullopt;
}

std::size_t random_weights(const MemberPosterior& posterior, std::size_t features) {
  return features + (posterior.random_bias ? 1 : 0);
}

double epistemic_variance(const MemberPosterior& posterior, std::span<const double> phi, std::size_t output) {
  switch (posterior.kind) {
    case PosteriorKind::isotropic:
      return posterior.gamma * (dot(phi, phi) + (posterior.random_bias ? 1 : 0));
    case PosteriorKind::diagonal:
      return diagonal_variance(posterior.variance.row(output), phi);
    case PosteriorKind::full:
      return full_variance(posterior, phi, output);
    case PosteriorKind::delta:
      break;
  }
  return 0;
}

void epistemic_variances(const MemberPosterior& posterior, std::span<const double> phi, std::span<double> variance) {
  if (outputs_share_covariance(posterior)) {
    std::fill(variance.begin(), variance.end(), epistemic_variance(posterior, phi, 0));
    return;
  }
  for (std::size_t k = 0; k < variance.size(); ++k) variance[k] = epistemic_variance(posterior, phi, k);
}

std::vector<double> whitened(const MemberPosterior& posterior, std::span<const double> phi, std::size_t output) {
  std::vector<double> extended = with_constant(posterior, phi);
  if (posterior.kind == PosteriorKind::full) return transposed_product(posterior.factor_of(output), extended);
  return scaled_by_std(posterior, std::move(extended), output);
}

std::vector<double> weight_deviation(const MemberPosterior& posterior, std::span<const double> z, std::size_t output) {
  if (posterior.kind == PosteriorKind::full) return product(posterior.factor_of(output), z);
  return scaled_by_std(posterior, {z.begin(), z.end()}, output);
}

}  // namespace credens::model
