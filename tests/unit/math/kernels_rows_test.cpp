// SPDX-License-Identifier: Apache-2.0
//
// Rows in double, scaled to float and summed up, against plain loops on every target.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/random.hpp"
#include "math/kernels.hpp"
#include "math/linalg.hpp"
#include "unit/math/each_target.hpp"

namespace credens::math {
namespace {

Matrix random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  base::RandomStream random({.seed = seed, .purpose = base::Purpose::test});
  Matrix matrix(rows, cols);
  for (double& value : matrix.values()) value = random.uniform(-3, 5);
  return matrix;
}

/// Columns from `first` on of a wider matrix, so that rows do not lie side by side.
MatrixView part_of(const Matrix& matrix, std::size_t first, std::size_t cols) {
  return {matrix.data() + first, matrix.rows(), cols, matrix.cols()};
}

struct Scaled {
  bool in_range;
  std::vector<float> values;
};

Scaled scaled(MatrixView values, const Matrix& shift, const Matrix& scale, std::size_t stride) {
  Scaled result{.in_range = false, .values = std::vector<float>(values.rows() * stride, -7.0F)};
  result.in_range = scale_rows({shift.data(), scale.data(), 1e30}, values.data(), values.stride(), values.rows(),
                               values.cols(), result.values.data(), stride);
  return result;
}

TEST(ScaleRows, IsTheQuotientRoundedOnceOnEveryTarget) {
  on_each_target([](std::int64_t) {
    for (std::size_t cols = 1; cols < 40; ++cols) {
      const Matrix wide = random_matrix(5, 45, cols);
      const Matrix shift = random_matrix(1, cols, 100 + cols);
      Matrix scale = random_matrix(1, cols, 200 + cols);
      for (double& value : scale.values()) value = 0.1 + std::abs(value);
      const MatrixView values = part_of(wide, 3, cols);
      const Scaled result = scaled(values, shift, scale, 48);
      ASSERT_TRUE(result.in_range);
      for (std::size_t row = 0; row < 5; ++row) {
        for (std::size_t col = 0; col < 48; ++col) {
          const float expected =
              col < cols ? static_cast<float>((values(row, col) - shift(0, col)) / scale(0, col)) : 0.0F;
          ASSERT_EQ(result.values[row * 48 + col], expected) << row << ", " << col;
        }
      }
    }
  });
}

TEST(ScaleRows, RefusesWhatIsTooLargeOrNoNumberInEveryColumn) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  on_each_target([](std::int64_t) {
    for (std::size_t col = 0; col < 11; ++col) {
      for (const double bad : {nan, infinity, -infinity, 1e31, -1e31}) {
        Matrix values = random_matrix(3, 11, 1);
        values(2, col) = bad;
        EXPECT_FALSE(scaled(values, Matrix(1, 11, 0.0), Matrix(1, 11, 1.0), 16).in_range) << col << ": " << bad;
      }
    }
  });
}

TEST(AddWeightedGram, AgreesWithPlainLoopsOnEveryTarget) {
  for (const std::size_t cols : {1U, 3U, 16U, 17U, 33U}) {
    const Matrix wide = random_matrix(150, cols + 2, cols);
    const MatrixView rows = part_of(wide, 1, cols);
    const Matrix weight = random_matrix(1, 150, 9);
    on_each_target([&](std::int64_t) {
      Matrix gram(cols, cols, 2.0);
      add_weighted_gram(rows, weight.row(0), gram);
      for (std::size_t a = 0; a < cols; ++a) {
        for (std::size_t b = 0; b < cols; ++b) {
          double sum = 2;
          double size = 2;
          for (std::size_t i = 0; i < 150; ++i) {
            sum += weight(0, i) * rows(i, a) * rows(i, b);
            size += std::abs(weight(0, i) * rows(i, a) * rows(i, b));
          }
          ASSERT_NEAR(gram(a, b), sum, 1e-14 * size);
          ASSERT_EQ(gram(a, b), gram(b, a));
        }
      }
    });
  }
}

TEST(AddWeightedGram, HasTheSameBitsOnTargetsThatRoundAlike) {
  const Matrix rows = random_matrix(150, 33, 1);
  const Matrix weight = random_matrix(1, 150, 2);
  std::vector<Matrix> by_rounding(2);
  on_each_target([&](std::int64_t target) {
    Matrix gram(33, 33);
    add_weighted_gram(rows, weight.row(0), gram);
    Matrix& first = by_rounding[fuses(target) ? 1 : 0];
    if (first.empty()) first = gram;
    EXPECT_EQ(gram, first);
  });
}

}  // namespace
}  // namespace credens::math
