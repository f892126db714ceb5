// SPDX-License-Identifier: Apache-2.0

#include "base/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/error_matchers.hpp"

namespace credens::base {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Require, PassesWhatHolds) {
  EXPECT_NO_THROW(require(true, ErrorCode::data, "never said"));
}

TEST(Require, FailsWithItsCodeAndSentence) {
  EXPECT_THAT([] { require(false, ErrorCode::model, "{} is {}", "x", 3); }, test::Fails(ErrorCode::model, "x is 3"));
  EXPECT_THAT([] { fail(ErrorCode::interrupted, "stopped"); }, test::Fails(ErrorCode::interrupted, "stopped"));
}

TEST(Error, KnowsItsExitStatus) {
  EXPECT_EQ(Error(ErrorCode::failure, "").exit_status(), 1);
  EXPECT_EQ(Error(ErrorCode::numerical, "").exit_status(), 6);
  EXPECT_EQ(Error(ErrorCode::interrupted, "").exit_status(), 130);
}

TEST(CheckPositive, WantsAFiniteNumberAboveZero) {
  EXPECT_NO_THROW(check_positive(1e-300, "rate"));
  for (const double bad : {0.0, -0.0, -1.0, nan, infinity}) {
    EXPECT_THAT([bad] { check_positive(bad, "rate"); }, test::Fails(ErrorCode::usage, "rate is ", "above 0"));
  }
}

TEST(CheckNotNegative, WantsAFiniteNumberFromZeroOn) {
  EXPECT_NO_THROW(check_not_negative(0, "lambda"));
  for (const double bad : {-1e-300, nan, infinity, -infinity}) {
    EXPECT_THAT([bad] { check_not_negative(bad, "lambda"); },
                test::Fails(ErrorCode::usage, "lambda is ", "not negative"));
  }
}

TEST(CheckProbability, WantsANumberBetweenZeroAndOne) {
  EXPECT_NO_THROW(check_probability(0.5, "level"));
  for (const double bad : {0.0, 1.0, -0.1, 95.0, nan}) {
    EXPECT_THAT([bad] { check_probability(bad, "level"); },
                test::Fails(ErrorCode::usage, "level is ", "between 0 and 1"));
  }
}

TEST(CheckFinite, NamesRowAndColumn) {
  Matrix values(3, 2, 1.0);
  EXPECT_NO_THROW(check_finite(values, "inputs"));
  values(2, 1) = nan;
  EXPECT_THAT([&] { check_finite(values, "inputs"); },
              test::Fails(ErrorCode::data, "inputs: row 2, column 1 is nan, expected a finite number"));
}

TEST(CheckFinite, NamesTheValueOfAList) {
  const std::vector<double> values = {1, 2, -infinity};
  EXPECT_THAT([&] { check_finite(values, "weights"); },
              test::Fails(ErrorCode::data, "weights: value 2 is -inf, expected a finite number"));
}

TEST(CheckPositive, NamesRowAndColumn) {
  Matrix values(2, 2, 1.0);
  EXPECT_NO_THROW(check_positive(values, "variance"));
  values(1, 0) = 0;
  EXPECT_THAT([&] { check_positive(values, "variance"); },
              test::Fails(ErrorCode::data, "variance: row 1, column 0 is 0, expected a finite number above 0"));
}

TEST(CheckFinite, LooksAtTheWindowOfAViewOnly) {
  Matrix values(2, 3, 1.0);
  values(0, 2) = nan;
  EXPECT_NO_THROW(check_finite(MatrixView(values.data(), 2, 2, 3), "inputs"));
}

TEST(CheckShape, NamesBothShapes) {
  const Matrix values(2, 3);
  EXPECT_NO_THROW(check_shape(values, 2, 3, "mean"));
  EXPECT_THAT([&] { check_shape(values, 2, 4, "mean"); },
              test::Fails(ErrorCode::data, "mean is 2 x 3, expected 2 x 4"));
  EXPECT_THAT([&] { check_shape(values, 3, 3, "mean"); },
              test::Fails(ErrorCode::data, "mean is 2 x 3, expected 3 x 3"));
}

}  // namespace
}  // namespace credens::base
