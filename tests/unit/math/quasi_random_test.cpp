// SPDX-License-Identifier: Apache-2.0

#include "math/quasi_random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace credens::math {
namespace {

base::RandomStream stream(std::uint64_t seed = 1) {
  return base::RandomStream({.seed = seed});
}

// Of 2^k points each of the 2^k parts of each dimension holds one: what makes them more even than random ones.
TEST(SobolPoints, FillEachDimensionEvenly) {
  base::RandomStream random = stream();
  const Matrix points = sobol_points(256, 40, random);
  for (std::size_t j = 0; j < points.cols(); ++j) {
    std::set<int> parts;
    for (std::size_t i = 0; i < points.rows(); ++i) parts.insert(static_cast<int>(points(i, j) * 256));
    EXPECT_EQ(parts.size(), 256U) << "dimension " << j;
    EXPECT_EQ(*parts.begin(), 0);
    EXPECT_EQ(*parts.rbegin(), 255);
  }
}

// No two dimensions are alike.
TEST(SobolPoints, DifferFromDimensionToDimension) {
  base::RandomStream random = stream();
  const Matrix points = sobol_points(64, 20, random);
  for (std::size_t a = 0; a < points.cols(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      std::size_t equal = 0;
      for (std::size_t i = 0; i < points.rows(); ++i) {
        equal += static_cast<int>(points(i, a) * 64) == static_cast<int>(points(i, b) * 64) ? 1 : 0;
      }
      EXPECT_LT(equal, 32U) << a << " and " << b;
    }
  }
}

// The product of 4 (1 - x) x has mean (2/3)^d: 1,024 points come ten times closer than 1,024 random ones would.
TEST(SobolPoints, IntegrateSmoothFunctions) {
  for (const std::size_t dimensions : {1, 2, 4, 6}) {
    base::RandomStream random = stream(dimensions);
    const Matrix points = sobol_points(1024, dimensions, random);
    double mean = 0;
    for (std::size_t i = 0; i < points.rows(); ++i) {
      double product = 1;
      for (const double x : points.row(i)) product *= 4 * x * (1 - x);
      mean += product / 1024;
    }
    const double expected = std::pow(2.0 / 3, dimensions);
    const double second = std::pow(8.0 / 15, dimensions);  // of the square
    EXPECT_NEAR(mean, expected, 0.3 * std::sqrt((second - expected * expected) / 1024)) << dimensions << " dimensions";
  }
}

TEST(NormalPoints, HaveTheMomentsOfStandardNormals) {
  base::RandomStream random = stream();
  const Matrix z = normal_points(256, 6, random);
  for (std::size_t a = 0; a < z.cols(); ++a) {
    double mean = 0;
    double fourth = 0;
    for (std::size_t i = 0; i < z.rows(); ++i) {
      mean += z(i, a) / 256;
      fourth += std::pow(z(i, a), 4) / 256;
    }
    EXPECT_NEAR(mean, 0, 1e-14);
    EXPECT_NEAR(fourth, 3, 0.25);
    for (std::size_t b = 0; b <= a; ++b) {
      double product = 0;
      for (std::size_t i = 0; i < z.rows(); ++i) product += z(i, a) * z(i, b) / 256;
      EXPECT_NEAR(product, a == b ? 1 : 0, 1e-13);
    }
  }
}

TEST(NormalPoints, DependOnTheStreamAlone) {
  base::RandomStream one = stream(7);
  base::RandomStream same = stream(7);
  base::RandomStream other = stream(8);
  const Matrix z = normal_points(64, 3, one);
  EXPECT_EQ(z, normal_points(64, 3, same));
  EXPECT_NE(z, normal_points(64, 3, other));
}

// E Z^2k = 1 * 3 * 5 * ... * (2k - 1).
TEST(NormalQuadrature, IsExactForPolynomials) {
  const QuadratureRule rule = normal_quadrature(8);
  double moment = 1;
  for (int k = 0; k < 8; ++k) {
    double even = 0;
    double odd = 0;
    for (std::size_t i = 0; i < rule.at.size(); ++i) {
      even += rule.weight[i] * std::pow(rule.at[i], 2 * k);
      odd += rule.weight[i] * std::pow(rule.at[i], 2 * k + 1);
    }
    EXPECT_NEAR(even / moment, 1, 1e-11) << 2 * k;
    EXPECT_NEAR(odd / moment, 0, 1e-10) << 2 * k + 1;
    moment *= 2 * k + 1;
  }
}

}  // namespace
}  // namespace credens::math
