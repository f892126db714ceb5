// SPDX-License-Identifier: Apache-2.0

#include "math/linalg.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/random.hpp"
#include "math/statistics.hpp"
#include "support/error_matchers.hpp"
#include "unit/math/each_target.hpp"

namespace credens::math {
namespace {

Matrix random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  base::RandomStream random({.seed = seed});
  Matrix matrix(rows, cols);
  for (double& value : matrix.values()) value = random.normal();
  return matrix;
}

std::vector<double> random_weights(std::size_t count, std::uint64_t seed) {
  base::RandomStream random({.seed = seed, .member = 1});
  std::vector<double> weights(count);
  for (double& weight : weights) weight = random.uniform(0, 3);
  return weights;
}

Matrix plain_gram(MatrixView rows, std::span<const double> weight, const Matrix& start) {
  Matrix gram = start;
  for (std::size_t j = 0; j < gram.rows(); ++j) {
    for (std::size_t k = 0; k < gram.cols(); ++k) {
      CompensatedSum sum;
      for (std::size_t i = 0; i < rows.rows(); ++i) sum.add(weight[i] * rows(i, j) * rows(i, k));
      gram(j, k) += sum.value();
    }
  }
  return gram;
}

/// X^T X + I of a random X: well conditioned.
Matrix positive_definite(std::size_t size, std::uint64_t seed) {
  Matrix gram(size, size);
  for (std::size_t j = 0; j < size; ++j) gram(j, j) = 1;
  add_weighted_gram(random_matrix(2 * size, size, seed), std::vector<double>(2 * size, 1.0), gram);
  return gram;
}

Matrix product(MatrixView a, MatrixView b) {
  Matrix result(a.rows(), b.cols());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < b.cols(); ++j) {
      for (std::size_t k = 0; k < a.cols(); ++k) result(i, j) += a(i, k) * b(k, j);
    }
  }
  return result;
}

Matrix transposed(MatrixView a) {
  Matrix result(a.cols(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) result(j, i) = a(i, j);
  }
  return result;
}

Matrix identity(std::size_t size) {
  Matrix result(size, size);
  for (std::size_t j = 0; j < size; ++j) result(j, j) = 1;
  return result;
}

void expect_close(const Matrix& actual, const Matrix& expected, double tolerance) {
  ASSERT_EQ(actual.rows(), expected.rows());
  ASSERT_EQ(actual.cols(), expected.cols());
  for (std::size_t i = 0; i < actual.values().size(); ++i) {
    ASSERT_NEAR(actual.values()[i], expected.values()[i], tolerance) << "at position " << i;
  }
}

constexpr std::size_t sizes[] = {1, 2, 3, 7, 16, 33, 150};

TEST(AddWeightedGram, AgreesWithPlainLoops) {
  for (const std::size_t p : sizes) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{5}, std::size_t{128}, std::size_t{300}}) {
      const Matrix rows = random_matrix(n, p, 10 * n + p);
      const auto weights = random_weights(n, p);
      const Matrix start = positive_definite(p, 3);
      Matrix gram = start;
      add_weighted_gram(rows, weights, gram);
      expect_close(gram, plain_gram(rows, weights, start), 1e-11);
    }
  }
}

TEST(AddWeightedGram, KeepsBothTrianglesEqual) {
  Matrix gram(33, 33);
  add_weighted_gram(random_matrix(200, 33, 1), random_weights(200, 1), gram);
  EXPECT_EQ(gram, transposed(gram));
}

TEST(AddWeightedGram, LeavesTheMatrixAloneWithoutRows) {
  const Matrix start = positive_definite(4, 2);
  Matrix gram = start;
  add_weighted_gram(Matrix(0, 4), {}, gram);
  EXPECT_EQ(gram, start);
}

TEST(AddWeightedGram, ReadsRowsThatLieApart) {
  const Matrix wide = random_matrix(20, 8, 5);
  const MatrixView narrow(wide.data(), 20, 3, 8);
  const auto weights = random_weights(20, 5);
  Matrix gram(3, 3);
  add_weighted_gram(narrow, weights, gram);
  expect_close(gram, plain_gram(narrow, weights, Matrix(3, 3)), 1e-13);
}

TEST(AddWeightedGram, GivesTheSameBitsInBlocks) {
  const Matrix rows = random_matrix(1000, 17, 6);
  const auto weights = random_weights(1000, 6);
  Matrix whole(17, 17);
  add_weighted_gram(rows, weights, whole);
  Matrix blocks(17, 17);
  for (std::size_t first = 0; first < 1000; first += 256) {
    const std::size_t count = std::min<std::size_t>(256, 1000 - first);
    add_weighted_gram(rows.view().row_block(first, count), std::span(weights).subspan(first, count), blocks);
  }
  EXPECT_EQ(whole, blocks);
}

TEST(Cholesky, TimesItsTransposeIsTheMatrix) {
  for (const std::size_t p : sizes) {
    const Matrix a = positive_definite(p, p);
    on_each_target([&](std::int64_t) {
      const auto lower = cholesky(a);
      ASSERT_TRUE(lower);
      expect_close(product(*lower, transposed(*lower)), a, 1e-11 * static_cast<double>(p));
      for (std::size_t i = 0; i < p; ++i) {
        EXPECT_GT((*lower)(i, i), 0);
        for (std::size_t j = i + 1; j < p; ++j) EXPECT_EQ((*lower)(i, j), 0);
      }
    });
  }
}

TEST(Cholesky, RefusesWhatIsNotPositiveDefinite) {
  EXPECT_FALSE(cholesky(Matrix(1, 1, 0.0)));
  EXPECT_FALSE(cholesky(Matrix(1, 1, -1.0)));
  EXPECT_FALSE(cholesky(Matrix(2, 2, std::vector<double>{1, 2, 2, 1})));
  on_each_target([](std::int64_t) {
    EXPECT_FALSE(cholesky(Matrix(3, 3, 1.0)));
    EXPECT_FALSE(cholesky(Matrix(2, 2, 1e40)));  // fused multiply-adds leave the rounding of 1e40, not zero
  });
}

TEST(Cholesky, RefusesWhatIsNotFinite) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (std::size_t position = 0; position < 4; ++position) {
      Matrix a = identity(4);
      a(position, position) = bad;
      EXPECT_FALSE(cholesky(a)) << bad << " at " << position;
    }
    Matrix a = identity(4);
    a(3, 1) = a(1, 3) = bad;
    EXPECT_FALSE(cholesky(a)) << bad << " off the diagonal";
  }
}

TEST(Cholesky, OfNothingIsNothing) {
  const auto lower = cholesky(Matrix(0, 0));
  ASSERT_TRUE(lower);
  EXPECT_TRUE(lower->empty());
}

TEST(InverseTranspose, TimesItsTransposeIsTheInverse) {
  for (const std::size_t p : sizes) {
    const Matrix a = positive_definite(p, p + 1);
    on_each_target([&](std::int64_t) {
      const Matrix upper = inverse_transpose(*cholesky(a));
      expect_close(product(product(upper, transposed(upper)), a), identity(p), 1e-11);
      for (std::size_t i = 0; i < p; ++i) {
        for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(upper(i, j), 0);
      }
    });
  }
}

TEST(LogDeterminant, IsThatOfAKnownMatrix) {
  const Matrix a(2, 2, std::vector<double>{4, 2, 2, 10});
  EXPECT_NEAR(log_determinant(*cholesky(a)), std::log(36.0), 1e-15);
}

TEST(LogDeterminant, IsTheSumOfLogEigenvalues) {
  for (const std::size_t p : sizes) {
    const Matrix a = positive_definite(p, p + 2);
    double sum = 0;
    for (const double value : symmetric_eigenvalues(a)) sum += std::log(value);
    EXPECT_NEAR(log_determinant(*cholesky(a)), sum, 1e-12 * static_cast<double>(p));
  }
}

TEST(SymmetricEigenvalues, AreThoseOfASecondDifference) {
  // Tridiagonal (-1, 2, -1) of size n has the eigenvalues 2 - 2 cos(pi j / (n + 1)).
  constexpr std::size_t n = 20;
  Matrix a(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    a(i, i) = 2;
    if (i > 0) a(i, i - 1) = a(i - 1, i) = -1;
  }
  const auto values = symmetric_eigenvalues(a);
  ASSERT_EQ(values.size(), n);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  for (std::size_t j = 0; j < n; ++j) {
    EXPECT_NEAR(values[j], 2 - 2 * std::cos(std::numbers::pi * static_cast<double>(j + 1) / (n + 1)), 1e-14);
  }
}

TEST(SymmetricEigenvalues, OfNothingAreNone) {
  EXPECT_TRUE(symmetric_eigenvalues(Matrix(0, 0)).empty());
}

TEST(SymmetricEigenvalues, RefuseWhatIsNotFinite) {
  Matrix a = identity(3);
  a(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT([&] { symmetric_eigenvalues(a); }, test::Fails(ErrorCode::numerical, "3 x 3"));
}

TEST(SquaredNormThrough, AgreesWithPlainLoops) {
  for (const std::size_t p : sizes) {
    const Matrix upper = inverse_transpose(*cholesky(positive_definite(p, p + 3)));
    const Matrix x = random_matrix(p, 1, p);
    const Matrix y = product(transposed(upper), x);
    double expected = 0;
    for (const double value : y.values()) expected += value * value;
    EXPECT_NEAR(squared_norm_through(upper, x.values()), expected, 1e-13 * expected);
  }
}

TEST(SquaredNormThrough, IgnoresWhatLiesBelowTheDiagonal) {
  Matrix upper = inverse_transpose(*cholesky(positive_definite(33, 4)));
  const Matrix x = random_matrix(33, 1, 4);
  const double expected = squared_norm_through(upper, x.values());
  for (std::size_t i = 0; i < 33; ++i) {
    for (std::size_t j = 0; j < i; ++j) upper(i, j) = 1e6;
  }
  EXPECT_EQ(squared_norm_through(upper, x.values()), expected);
}

TEST(SquaredNormThrough, HasTheBitsOfPlainLoopsOnEveryTarget) {
  for (const std::size_t p : {1, 15, 16, 17, 32, 33, 64, 100}) {
    const Matrix upper = inverse_transpose(*cholesky(positive_definite(p, p + 3)));
    const Matrix x = random_matrix(p, 1, p);
    double expected = 0;
    for (std::size_t j = 0; j < p; ++j) {
      double y = 0;
      for (std::size_t i = 0; i <= j; ++i) y += x(i, 0) * upper(i, j);
      expected += y * y;
    }
    on_each_target([&](std::int64_t) { EXPECT_EQ(squared_norm_through(upper, x.values()), expected) << p; });
  }
}

TEST(SquaredNormThrough, TakesAMissingLastValueForOne) {
  for (const std::size_t p : {16, 17, 32, 33}) {
    const Matrix upper = inverse_transpose(*cholesky(positive_definite(p, p + 3)));
    Matrix x = random_matrix(p, 1, p);
    x(p - 1, 0) = 1;
    EXPECT_EQ(squared_norm_through(upper, x.values().first(p - 1)), squared_norm_through(upper, x.values()));
  }
}

TEST(SquaredNormThrough, IsTheQuadraticFormOfTheInverse) {
  const Matrix a = positive_definite(5, 9);
  const Matrix x = random_matrix(5, 1, 9);
  const Matrix upper = inverse_transpose(*cholesky(a));
  const Matrix solved = product(product(upper, transposed(upper)), x);
  double expected = 0;
  for (std::size_t i = 0; i < 5; ++i) expected += x(i, 0) * solved(i, 0);
  EXPECT_NEAR(squared_norm_through(upper, x.values()), expected, 1e-13 * expected);
}

}  // namespace
}  // namespace credens::math
