// SPDX-License-Identifier: Apache-2.0

#include "learn/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/check.hpp"
#include "math/linalg.hpp"
#include "model/names.hpp"

namespace credens::learn {

using base::check_not_negative;
using base::fail;
using base::require;

namespace {

double sum_of_traces(const MemberStatistics& statistics) {
  double sum = 0;
  for (std::size_t k = 0; k < statistics.shape.outputs; ++k) sum += statistics.trace(k);
  return sum;
}

/// The part of the ELBO that no rung changes: ll - lambda |W|^2 / 2 + q P (1 + log lambda) / 2.
double common_elbo(const MemberStatistics& statistics, double squared_norm, double lambda) {
  const double weights = static_cast<double>(statistics.shape.outputs * statistics.width);
  return statistics.log_likelihood - lambda * squared_norm / 2 + weights * (1 + std::log(lambda)) / 2;
}

Matrix precision_matrix(const Matrix& gram, double lambda) {
  Matrix a = gram;
  for (std::size_t j = 0; j < a.rows(); ++j) a(j, j) += lambda;
  return a;
}

/// Lower Cholesky factors of A_k (one if the outputs share their noise), or nothing where one is not positive definite
/// to working precision.
std::optional<std::vector<Matrix>> precision_factors(const MemberStatistics& statistics, double lambda) {
  std::vector<Matrix> factors;
  for (const Matrix& gram : statistics.gram) {
    auto lower = math::cholesky(precision_matrix(gram, lambda));
    if (!lower) return std::nullopt;
    factors.push_back(std::move(*lower));
  }
  return factors.empty() ? std::nullopt : std::optional(std::move(factors));
}

double full_elbo(const MemberStatistics& statistics, const std::vector<Matrix>& factors, double squared_norm,
                 double lambda) {
  double elbo = common_elbo(statistics, squared_norm, lambda);
  for (std::size_t k = 0; k < statistics.shape.outputs; ++k) {
    elbo -= (static_cast<double>(statistics.width) + math::log_determinant(factors[statistics.position_of(k)])) / 2;
  }
  return elbo;
}

/// 1 / A_k,jj, [q x P]; one row for all classes.
Matrix diagonal_variances(const MemberStatistics& statistics, double lambda) {
  Matrix variance(statistics.shape.covariances(), statistics.width);
  for (std::size_t k = 0; k < variance.rows(); ++k) {
    const auto& diagonal = statistics.diagonal[statistics.position_of(k)];
    for (std::size_t j = 0; j < variance.cols(); ++j) variance(k, j) = 1 / (lambda + diagonal[j]);
  }
  return variance;
}

/// sum d / (lambda + d) - lambda sum |W|^2, which falls from the number of positive d to minus infinity.
double evidence_slope(std::span<const double> eigenvalues, double squared_norm, double lambda) {
  double effective = 0;
  for (const double d : eigenvalues) effective += d / (lambda + d);
  return effective - lambda * squared_norm;
}

/// The eigenvalues of every member's G_k, once per output, without those that are zero.
std::vector<double> positive_eigenvalues(std::span<const MemberStatistics> members) {
  std::vector<double> all;
  for (const MemberStatistics& member : members) {
    for (const Matrix& gram : member.gram) {
      const std::vector<double> values = math::symmetric_eigenvalues(gram);
      const std::size_t copies = member.shape.outputs / member.shape.grams();
      for (const double value : values) {
        if (value > 0) all.insert(all.end(), copies, value);
      }
    }
  }
  return all;
}

}  // namespace

double isotropic_width(const MemberStatistics& statistics, double prior_precision) {
  check_not_negative(prior_precision, "lambda");
  const double weights = static_cast<double>(statistics.shape.outputs * statistics.width);
  const double precision = sum_of_traces(statistics) + weights * prior_precision;
  require(std::isfinite(precision) && precision > 0, ErrorCode::numerical,
          "the isotropic posterior has no finite width: lambda is {} and the features sum to {}", prior_precision,
          precision);
  return weights / precision;
}

double isotropic_elbo(const MemberStatistics& statistics, double squared_norm, double prior_precision, double gamma) {
  const double weights = static_cast<double>(statistics.shape.outputs * statistics.width);
  const double trace = gamma * (sum_of_traces(statistics) + weights * prior_precision);
  return common_elbo(statistics, squared_norm, prior_precision) - (trace - weights * std::log(gamma)) / 2;
}

double diagonal_elbo(const MemberStatistics& statistics, double squared_norm, double prior_precision) {
  double elbo = common_elbo(statistics, squared_norm, prior_precision);
  for (std::size_t k = 0; k < statistics.shape.outputs; ++k) {
    for (const double d : statistics.diagonal[statistics.position_of(k)])
      elbo -= (1 + std::log(prior_precision + d)) / 2;
  }
  return elbo;
}

model::MemberPosterior make_posterior(const MemberStatistics& statistics, std::optional<double> squared_norm,
                                      PosteriorKind kind, double prior_precision) {
  check_not_negative(prior_precision, "lambda");
  const double lambda = prior_precision;
  const bool needs_prior = kind == PosteriorKind::diagonal || kind == PosteriorKind::full;
  require(lambda > 0 || !needs_prior, ErrorCode::usage, "the {} posterior needs lambda above 0", base::name_of(kind));

  model::MemberPosterior posterior{.kind = kind, .random_bias = statistics.shape.random_bias};
  const bool has_width = lambda > 0 || sum_of_traces(statistics) > 0;
  if (has_width || kind == PosteriorKind::isotropic) posterior.gamma = isotropic_width(statistics, lambda);
  if (kind == PosteriorKind::diagonal) posterior.variance = diagonal_variances(statistics, lambda);

  const bool wants_elbo = squared_norm && lambda > 0;
  std::optional<std::vector<Matrix>> factors;
  if (kind == PosteriorKind::full || wants_elbo) factors = precision_factors(statistics, lambda);
  if (wants_elbo) {
    posterior.elbo.isotropic = isotropic_elbo(statistics, *squared_norm, lambda, posterior.gamma);
    posterior.elbo.diagonal = diagonal_elbo(statistics, *squared_norm, lambda);
    if (factors) posterior.elbo.full = full_elbo(statistics, *factors, *squared_norm, lambda);
  }
  if (kind == PosteriorKind::full) {
    require(factors.has_value(), ErrorCode::numerical,
            "the precision matrix of a last layer is not positive definite at lambda = {}; a larger lambda would help",
            lambda);
    std::ranges::transform(*factors, std::back_inserter(posterior.factor), math::inverse_transpose);
  }
  return posterior;
}

double evidence_precision(std::span<const MemberStatistics> members, std::span<const double> squared_norms) {
  const std::vector<double> eigenvalues = positive_eigenvalues(members);
  const double squared_norm = std::accumulate(squared_norms.begin(), squared_norms.end(), 0.0);
  if (eigenvalues.empty() || !(squared_norm > 0)) {
    fail(ErrorCode::numerical, "there is no evidence for lambda: all {} are zero",
         eigenvalues.empty() ? "features" : "last layers");
  }

  // Each term is below 1, so the root lies below count / |W|^2; bisection on the exponent, then on neighbouring
  // doubles.
  double high = static_cast<double>(eigenvalues.size()) / squared_norm;
  double low = high;
  while (evidence_slope(eigenvalues, squared_norm, low) <= 0) low /= 16;
  while (std::nextafter(low, high) < high) {
    const double middle = high > 2 * low ? std::sqrt(low) * std::sqrt(high) : low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (evidence_slope(eigenvalues, squared_norm, middle) > 0 ? low : high) = middle;
  }
  return low;
}

}  // namespace credens::learn
