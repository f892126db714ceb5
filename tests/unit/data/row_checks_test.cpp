// SPDX-License-Identifier: Apache-2.0

#include "data/row_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "support/error_matchers.hpp"

namespace credens::data {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::function<void()> noise(double value, std::vector<double> scale = {}) {
  return [value, scale] {
    Matrix values(2, 2, 1.0);
    values(1, 0) = value;
    check_noise(values, scale,
                [](std::size_t row, std::size_t k) { return std::to_string(row) + "/" + std::to_string(k); });
  };
}

TEST(CheckNoise, NamesTheFirstThatIsNoUse) {
  EXPECT_NO_THROW(noise(1e-100)());
  EXPECT_THAT(noise(0), test::Fails(ErrorCode::data, "1/0 is 0, expected a number above 0"));
  EXPECT_THAT(noise(nan), test::Fails(ErrorCode::data, "1/0 is nan, expected a number above 0"));
  EXPECT_THAT(noise(1e-200), test::Fails(ErrorCode::data, "1/0 is 1e-200, whose square is no usable variance"));
  EXPECT_THAT(noise(infinity), test::Fails(ErrorCode::data, "1/0 is inf, whose square is no usable variance"));
}

TEST(CheckNoise, LooksAtTheScaleOfTheTarget) {
  EXPECT_NO_THROW(noise(1e100, {1e-40, 1})());
  EXPECT_THAT(noise(1e100, {1e-60, 1}),
              test::Fails(ErrorCode::data, "1/0 is 1e+100, too large beside the target's scale 1e-60"));
}

TEST(CheckWeights, RefusesThoseThatAreNegativeOrNotFinite) {
  const auto weights = [](double value) {
    return [value] {
      const std::vector<double> values = {0, value};
      check_weights(values, [](std::size_t row) { return "weight " + std::to_string(row); });
    };
  };
  EXPECT_NO_THROW(weights(2)());
  for (const double value : {-1.0, nan, infinity}) {
    EXPECT_THAT(weights(value), test::Fails(ErrorCode::data, "weight 1 is ", "expected a number that is not negative"));
  }
}

TEST(CheckWeightTotal, NamesTheSource) {
  EXPECT_NO_THROW(check_weight_total(1, "t.csv"));
  EXPECT_THAT([] { check_weight_total(0, "t.csv"); }, test::Fails(ErrorCode::data, "t.csv: all weights are 0"));
  EXPECT_THAT([] { check_weight_total(infinity, ""); }, test::Fails(ErrorCode::data, "beyond the largest double"));
}

}  // namespace
}  // namespace credens::data
