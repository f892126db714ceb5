// SPDX-License-Identifier: Apache-2.0
//
// Points that fill a space more evenly than random ones, and rules of integration over normal distributions.

#pragma once

#include <credens/matrix.hpp>

#include <cstddef>
#include <vector>

#include "base/random.hpp"

namespace credens::math {

/// The first `count` points [count x dimensions] of a Sobol sequence in (0, 1), whose free direction numbers and
/// digital shift are drawn from `random`. Of 2^k points each 2^k-th part of each dimension holds one.
Matrix sobol_points(std::size_t count, std::size_t dimensions, base::RandomStream& random);

/// Standard normal points [count x dimensions] made from them, whose means are 0, variances 1 and correlations 0 to
/// rounding: sums over them give the variance of linear functions exactly. `count` is at least 2 (dimensions + 1).
Matrix normal_points(std::size_t count, std::size_t dimensions, base::RandomStream& random);

struct QuadratureRule {
  std::vector<double> at;
  std::vector<double> weight;  ///< sum 1
};

/// Gauss-Hermite: E f(Z) of a standard normal Z, exact for polynomials up to degree 2 count - 1.
QuadratureRule normal_quadrature(std::size_t count);

}  // namespace credens::math
