// SPDX-License-Identifier: Apache-2.0

#include "math/quasi_random.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/check.hpp"
#include "math/linalg.hpp"
#include "math/normal.hpp"

namespace credens::math {

namespace {

constexpr unsigned digits = 32;
using Directions = std::array<std::uint32_t, digits>;  ///< v_1, v_2, ...: the first has its highest digit

unsigned degree_of(std::uint32_t polynomial) {
  return static_cast<unsigned>(std::bit_width(polynomial)) - 1;
}

/// Whether the powers of x modulo a polynomial over the field of two elements (bit i: x^i) take all 2^degree - 1
/// values.
bool is_primitive(std::uint32_t polynomial) {
  const unsigned degree = degree_of(polynomial);
  const std::uint32_t period = (1U << degree) - 1;
  std::uint32_t power = 1;
  for (std::uint32_t exponent = 1; exponent <= period; ++exponent) {
    power <<= 1;
    if ((power >> degree) != 0) power ^= polynomial;
    if (power == 1) return exponent == period;
  }
  return false;
}

std::uint32_t next_primitive(std::uint32_t polynomial) {
  do {
    polynomial += polynomial % 2 == 0 ? 1 : 2;  // the constant term is 1
  } while (!is_primitive(polynomial));
  return polynomial;
}

/// v_k = m_k 2^-k. The first `degree` numbers m_k are free: odd and below 2^k. Those after them follow by
/// m_k = 2 a_1 m_(k-1) + ... + 2^(s-1) a_(s-1) m_(k-s+1) + 2^s m_(k-s) + m_(k-s), digit by digit without carry.
Directions directions_of(std::uint32_t polynomial, base::RandomStream& random) {
  const unsigned degree = degree_of(polynomial);
  Directions v{};
  for (unsigned k = 0; k < digits; ++k) {
    if (k < degree) {
      const std::uint64_t odd = 2 * random.below(std::uint64_t{1} << k) + 1;
      v[k] = static_cast<std::uint32_t>(odd << (digits - 1 - k));
      continue;
    }
    v[k] = v[k - degree] ^ (v[k - degree] >> degree);
    for (unsigned j = 1; j < degree; ++j) {
      if (((polynomial >> (degree - j)) & 1U) != 0) v[k] ^= v[k - j];
    }
  }
  return v;
}

/// All digits of the first dimension are those of the point's number, in the opposite order.
Directions first_directions() {
  Directions v{};
  for (unsigned k = 0; k < digits; ++k) v[k] = 1U << (digits - 1 - k);
  return v;
}

/// z with columns of mean 0 and covariance the identity: (z - mean) L^-T for the covariance L L^T.
void whiten(Matrix& z) {
  const auto rows = static_cast<double>(z.rows());
  for (std::size_t j = 0; j < z.cols(); ++j) {
    double mean = 0;
    for (std::size_t i = 0; i < z.rows(); ++i) mean += z(i, j) / rows;
    for (std::size_t i = 0; i < z.rows(); ++i) z(i, j) -= mean;
  }
  Matrix covariance(z.cols(), z.cols());
  add_weighted_gram(z, std::vector<double>(z.rows(), 1 / rows), covariance);
  const auto lower = cholesky(covariance);
  base::require(lower.has_value(), ErrorCode::numerical, "the covariance of {} points in {} dimensions is singular",
                z.rows(), z.cols());
  const Matrix upper = inverse_transpose(*lower);
  std::vector<double> row(z.cols());
  for (std::size_t i = 0; i < z.rows(); ++i) {
    for (std::size_t j = 0; j < z.cols(); ++j) {
      row[j] = 0;
      for (std::size_t m = 0; m <= j; ++m) row[j] += z(i, m) * upper(m, j);
    }
    for (std::size_t j = 0; j < z.cols(); ++j) z(i, j) = row[j];
  }
}

}  // namespace

Matrix sobol_points(std::size_t count, std::size_t dimensions, base::RandomStream& random) {
  Matrix points(count, dimensions);
  std::uint32_t polynomial = 1;
  for (std::size_t j = 0; j < dimensions; ++j) {
    if (j > 0) polynomial = next_primitive(polynomial);
    const Directions v = j == 0 ? first_directions() : directions_of(polynomial, random);
    auto digits_of_point = static_cast<std::uint32_t>(random.word());  // the shift
    for (std::size_t i = 0; i < count; ++i) {
      points(i, j) = (digits_of_point + 0.5) * 0x1p-32;
      digits_of_point ^= v[static_cast<unsigned>(std::countr_one(i)) % digits];  // Gray code: one digit changes
    }
  }
  return points;
}

Matrix normal_points(std::size_t count, std::size_t dimensions, base::RandomStream& random) {
  base::require(count >= 2 * (dimensions + 1), ErrorCode::usage, "{} points in {} dimensions, expected at least {}",
                count, dimensions, 2 * (dimensions + 1));
  Matrix points = sobol_points(count, dimensions, random);
  for (double& value : points.values()) value = normal_quantile(value);
  whiten(points);
  return points;
}

/// The nodes are the eigenvalues of the symmetric tridiagonal matrix with sqrt(1), sqrt(2), ... beside its diagonal
/// (Golub and Welsch); the weight of a node x is 1 / sum_k p_k(x)^2 over the orthonormal Hermite polynomials.
QuadratureRule normal_quadrature(std::size_t count) {
  Matrix jacobi(count, count);
  for (std::size_t i = 1; i < count; ++i) jacobi(i, i - 1) = jacobi(i - 1, i) = std::sqrt(static_cast<double>(i));
  QuadratureRule rule{.at = symmetric_eigenvalues(jacobi), .weight = {}};
  for (const double x : rule.at) {
    double before = 0;
    double p = 1;
    double sum = 1;
    for (std::size_t k = 1; k < count; ++k) {
      const auto degree = static_cast<double>(k);
      const double next = (x * p - std::sqrt(degree - 1) * before) / std::sqrt(degree);
      before = p;
      p = next;
      sum += p * p;
    }
    rule.weight.push_back(1 / sum);
  }
  return rule;
}

}  // namespace credens::math
