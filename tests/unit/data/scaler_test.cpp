// SPDX-License-Identifier: Apache-2.0

#include "data/scaler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "support/error_matchers.hpp"

namespace credens::data {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

Matrix column(std::vector<double> values) {
  const std::size_t rows = values.size();
  return {rows, 1, std::move(values)};
}

std::vector<std::size_t> constant_columns(MatrixView values, std::span<const double> weights) {
  ColumnMoments moments(values.cols());
  moments.add(values, weights);
  return moments.constant_columns();
}

TEST(StandardisingScaler, TakesMeanAndPopulationDeviation) {
  const Scaler scaler = standardising_scaler(Matrix(4, 2, std::vector<double>{1, 10, 3, 10, 5, 30, 7, 30}), {});
  EXPECT_THAT(scaler.shift, ElementsAre(DoubleEq(4), DoubleEq(20)));
  EXPECT_THAT(scaler.scale, ElementsAre(DoubleEq(std::sqrt(5.0)), DoubleEq(10)));
  EXPECT_DOUBLE_EQ(scaler.apply(1, 30), 1);
}

TEST(StandardisingScaler, CountsARowOfWeightTwoTwice) {
  const std::vector<double> weights = {2, 1, 0};
  const Scaler weighted = standardising_scaler(column({1, 4, 99}), weights);
  const Scaler repeated = standardising_scaler(column({1, 1, 4}), {});
  EXPECT_DOUBLE_EQ(weighted.shift[0], repeated.shift[0]);
  EXPECT_DOUBLE_EQ(weighted.scale[0], repeated.scale[0]);
}

TEST(StandardisingScaler, TurnsConstantColumnsIntoZeros) {
  const Scaler scaler = standardising_scaler(column({0.1, 0.1, 0.1}), {});
  EXPECT_EQ(scaler, (Scaler{.shift = {0.1}, .scale = {1}}));
  EXPECT_EQ(scaler.apply(0, 0.1), 0);
}

TEST(StandardisingScaler, CallsAColumnConstantByTheRowsThatCount) {
  const std::vector<double> weights = {1, 1, 1, 0};
  EXPECT_EQ(standardising_scaler(column({0.1, 0.1, 0.1, 5}), weights), (Scaler{.shift = {0.1}, .scale = {1}}));
}

TEST(StandardisingScaler, RefusesColumnsThatUnderflow) {
  const std::vector<std::string> labels = {"column \"y\""};
  EXPECT_THAT(
      [&] {
        standardising_scaler(column({0, 1e-200}), {}, labels);
      },
      test::Fails(ErrorCode::data, "column \"y\": the variance of its values is below the smallest double"));
}

TEST(StandardisingScaler, IsThatOfBlocksInOrder) {
  Matrix values(10000, 2);
  for (std::size_t row = 0; row < values.rows(); ++row) {
    values(row, 0) = std::sin(static_cast<double>(row));
    values(row, 1) = 1e9 + static_cast<double>(row % 2);
  }
  const Scaler scaler = standardising_scaler(values, {});
  ColumnMoments moments(2);
  for (const std::size_t first : {0, 4096, 8192}) {
    moments.add(values.view().row_block(first, std::min<std::size_t>(4096, values.rows() - first)), {});
  }
  EXPECT_EQ(scaler, moments.scaler());
  EXPECT_NEAR(scaler.scale[0], std::sqrt(0.5), 1e-3);
  EXPECT_EQ(scaler.shift[1], 1e9 + 0.5);
  EXPECT_NEAR(scaler.scale[1], 0.5, 1e-12);
}

TEST(StandardisingScaler, KeepsItsPrecisionFarFromZero) {
  const Scaler scaler = standardising_scaler(column({1e9 + 0.25, 1e9 + 0.75}), {});
  EXPECT_EQ(scaler.shift[0], 1e9 + 0.5);
  EXPECT_EQ(scaler.scale[0], 0.25);
}

TEST(StandardisingScaler, RefusesColumnsThatOverflow) {
  EXPECT_THAT(
      [] {
        standardising_scaler(Matrix(2, 2, std::vector<double>{0, 1e308, 1, -1e308}), {});
      },
      test::Fails(ErrorCode::data,
                  "column 1 (counted from 0): the variance of its values is beyond the largest double"));
  EXPECT_THAT(
      [] {
        standardising_scaler(column({1.7e308, 1.7e308, 1.6e308}), {});
      },
      test::Fails(ErrorCode::data, "column 0"));
}

TEST(StandardisingScaler, RefusesToScaleByNothing) {
  EXPECT_THAT([] { standardising_scaler(Matrix(0, 1), {}); }, test::Fails(ErrorCode::data, "no rows"));
  const std::vector<double> weights = {1};
  EXPECT_THAT(
      [&] {
        standardising_scaler(column({1, 2}), weights);
      },
      test::Fails(ErrorCode::data, "1 weights for 2 rows"));
}

RC_GTEST_PROP(StandardisingScaler, ScalesByPowersOfTwoExactly, (const std::vector<std::int16_t>& numbers)) {
  RC_PRE(!numbers.empty());
  const int exponent = *rc::gen::inRange(-20, 20);
  std::vector<double> plain;
  std::vector<double> scaled;
  for (const std::int16_t number : numbers) {
    plain.push_back(number / 3.0);
    scaled.push_back(std::ldexp(plain.back(), exponent));
  }
  const Scaler a = standardising_scaler(column(plain), {});
  const Scaler b = standardising_scaler(column(scaled), {});
  const bool constant = constant_columns(column(plain), {}).size() == 1;
  RC_ASSERT(b.shift[0] == std::ldexp(a.shift[0], exponent));
  RC_ASSERT(b.scale[0] == (constant ? 1 : std::ldexp(a.scale[0], exponent)));
}

TEST(IdentityScaler, ChangesNothing) {
  EXPECT_EQ(identity_scaler(2), (Scaler{.shift = {0, 0}, .scale = {1, 1}}));
  EXPECT_EQ(identity_scaler(2).apply(1, 0.1), 0.1);
}

/// 130 columns, of which every third is bent: more than are bent at a time.
Scaler bent_scaler() {
  Scaler scaler;
  for (std::size_t j = 0; j < 130; ++j) {
    const auto place = static_cast<double>(j);
    scaler.shift.push_back(0.1 * place);
    scaler.scale.push_back(1 + 0.01 * place);
    scaler.centre.push_back(j % 3 == 0 ? 2 - place : 0);
    scaler.width.push_back(j % 3 == 0 ? 0.5 + place : 0);
  }
  return scaler;
}

Matrix rows_to_bend() {
  Matrix values(5, 130);
  for (std::size_t row = 0; row < 5; ++row) {
    for (std::size_t col = 0; col < 130; ++col) {
      values(row, col) = (static_cast<double>(row) - 2) * std::pow(1.2, static_cast<double>(col % 50));
    }
  }
  return values;
}

TEST(BentColumns, AreAsinhOfTheDistanceFromTheirCentre) {
  const Scaler scaler{.shift = {0.5, 0.5}, .scale = {2, 2}, .centre = {0, 3}, .width = {0, 4}};
  EXPECT_FALSE(scaler.has_asinh(0));
  EXPECT_TRUE(scaler.has_asinh(1));
  EXPECT_DOUBLE_EQ(scaler.apply(0, 11), 5.25);
  EXPECT_DOUBLE_EQ(scaler.apply(1, 11), (std::asinh(2.0) - 0.5) / 2);
  EXPECT_DOUBLE_EQ(scaler.apply(1, -5), (-std::asinh(2.0) - 0.5) / 2);
  EXPECT_NEAR(scaler.apply(1, 1e300), (std::log(2 * (1e300 / 4)) - 0.5) / 2, 1e-12);
}

TEST(BentColumns, ComeBackThroughSinh) {
  const Scaler scaler = bent_scaler();
  const Matrix values = rows_to_bend();
  const Matrix back = unscaled(scaler, scaled(scaler, values));
  for (std::size_t i = 0; i < values.values().size(); ++i) {
    EXPECT_NEAR(back.values()[i], values.values()[i], 1e-12 * (200 + std::abs(values.values()[i]))) << i;
  }
}

TEST(BentColumns, AreScaledInBlocksAsOneByOne) {
  const Scaler scaler = bent_scaler();
  const Matrix values = rows_to_bend();
  std::vector<float> out(5 * 144, 9.0F);
  scale_rows(scaler, values, out.data(), 144);
  for (std::size_t row = 0; row < 5; ++row) {
    for (std::size_t col = 0; col < 144; ++col) {
      const float expected = col < 130 ? static_cast<float>(scaler.apply(col, values(row, col))) : 0.0F;
      ASSERT_EQ(out[row * 144 + col], expected) << row << ", " << col;
    }
  }
}

TEST(BentColumns, TakeWhatPlainOnesRefuse) {
  const Scaler scaler{.shift = {0, 0}, .scale = {1, 1}, .centre = {0, 0}, .width = {0, 1}};
  std::vector<float> out(2);
  EXPECT_TRUE(scale_in_range(scaler, Matrix(1, 2, {1, 1e300}), out.data(), 2));
  EXPECT_EQ(out[1], static_cast<float>(std::asinh(1e300)));
  EXPECT_FALSE(scale_in_range(scaler, Matrix(1, 2, {1e300, 1}), out.data(), 2));
  EXPECT_FALSE(scale_in_range(scaler, Matrix(1, 2, {1, std::nan("")}), out.data(), 2));
  EXPECT_THAT(
      [&] {
        scale_rows(scaler, Matrix(1, 2, {1, INFINITY}), out.data(), 2);
      },
      test::Fails(ErrorCode::data, "row 0, column 1 (counted from 0): inf is inf after scaling"));
}

TEST(ConstantColumns, AreThoseWithOneValue) {
  EXPECT_THAT(constant_columns(Matrix(2, 3, std::vector<double>{1, 2, 3, 1, 2.5, 3}), {}), ElementsAre(0, 2));
  EXPECT_THAT(constant_columns(column({0, -0.0}), {}), ElementsAre(0));
}

TEST(ConstantColumns, AreThoseOfTheRowsThatCount) {
  const std::vector<double> weights = {1, 1, 0};
  EXPECT_THAT(constant_columns(column({4, 4, 5}), weights), ElementsAre(0));
  EXPECT_THAT(constant_columns(column({4, 5, 5}), weights), ElementsAre());
}

TEST(ScaleRows, NamesTheColumnAndTheRowOfTheFile) {
  float out = 0;
  const std::vector<std::string> labels = {"column \"x\""};
  EXPECT_THAT([&] { scale_rows(identity_scaler(1), column({1e31}), &out, 1, 70, labels); },
              test::Fails(ErrorCode::data, "row 70, column \"x\": 1e+31 is 1e+31 after scaling"));
}

TEST(ScaleRows, RoundsOnceAndPadsWithZeros) {
  const Scaler scaler{.shift = {1e9, 0}, .scale = {1, 3}};
  std::vector<float> out(8, 9.0F);
  scale_rows(scaler, Matrix(2, 2, std::vector<double>{1e9 + 0.5, 1, 1e9 - 2, 2}), out.data(), 4);
  EXPECT_THAT(out, ElementsAre(0.5F, 1.0F / 3.0F, 0.0F, 0.0F, -2.0F, 2.0F / 3.0F, 0.0F, 0.0F));
}

TEST(ScaleRows, RefusesWhatAFloatCannotHold) {
  std::vector<float> out(4);
  const Scaler scaler = identity_scaler(2);
  EXPECT_THAT(
      [&] {
        scale_rows(scaler, Matrix(2, 2, std::vector<double>{1, 2, 3, -1e31}), out.data(), 2);
      },
      test::Fails(ErrorCode::data,
                  "row 1, column 1 (counted from 0): -1e+31 is -1e+31 after scaling, expected at most 1e+30 in size"));
  EXPECT_THAT(
      [&] {
        scale_rows(scaler, Matrix(1, 2, std::vector<double>{1, std::nan("")}), out.data(), 2);
      },
      test::Fails(ErrorCode::data, "row 0, column 1"));
  EXPECT_THAT([&] { scale_rows(scaler, Matrix(1, 1, 1.0), out.data(), 2); },
              test::Fails(ErrorCode::data, "1 columns to scale, expected 2"));
  EXPECT_NO_THROW(scale_rows(scaler, Matrix(1, 2, 1e30), out.data(), 2));
}

TEST(ColumnMoments, MergesBlocks) {
  ColumnMoments moments(1);
  moments.add(column({1, 2}), {});
  moments.add(column({3}), {});
  moments.add(column({4, 5, 9}), {});
  const Scaler scaler = moments.scaler();
  EXPECT_DOUBLE_EQ(scaler.shift[0], 4);
  EXPECT_DOUBLE_EQ(scaler.scale[0], std::sqrt(40.0 / 6));
}

TEST(ColumnMoments, MergesWeightedBlocksAsRepeatedRows) {
  const std::vector<double> first = {2, 0};
  const std::vector<double> second = {0.0};
  const std::vector<double> third = {3, 1};
  ColumnMoments weighted(1);
  weighted.add(column({1, 99}), first);
  weighted.add(column({-99}), second);
  weighted.add(column({4, 7}), third);
  ColumnMoments repeated(1);
  repeated.add(column({1, 1, 4, 4, 4, 7}), {});
  EXPECT_DOUBLE_EQ(weighted.scaler().shift[0], repeated.scaler().shift[0]);
  EXPECT_DOUBLE_EQ(weighted.scaler().scale[0], repeated.scaler().scale[0]);
}

RC_GTEST_PROP(ColumnMoments, DoNotDependOnWhereBlocksAreCut, (const std::vector<std::int16_t>& numbers)) {
  RC_PRE(numbers.size() >= 2);
  std::vector<double> values;
  for (const std::int16_t number : numbers) values.push_back(1e6 + number / 7.0);
  const auto cut = *rc::gen::inRange<std::size_t>(0, values.size());
  ColumnMoments whole(1);
  whole.add(column(values), {});
  ColumnMoments parts(1);
  parts.add(column({values.begin(), values.begin() + static_cast<std::ptrdiff_t>(cut)}), {});
  parts.add(column({values.begin() + static_cast<std::ptrdiff_t>(cut), values.end()}), {});
  const Scaler a = whole.scaler();
  const Scaler b = parts.scaler();
  RC_ASSERT(std::abs(a.shift[0] - b.shift[0]) <= 1e-15 * std::abs(a.shift[0]));
  RC_ASSERT(std::abs(a.scale[0] - b.scale[0]) <= 1e-9 * a.scale[0]);
  RC_ASSERT(whole.constant_columns() == parts.constant_columns());
}

TEST(ColumnMoments, KeepTheirPrecisionFarFromZeroAcrossBlocks) {
  ColumnMoments moments(1);
  for (int block = 0; block < 100; ++block) moments.add(column({1e9 + 0.25, 1e9 + 0.75}), {});
  EXPECT_EQ(moments.scaler().shift[0], 1e9 + 0.5);
  EXPECT_NEAR(moments.scaler().scale[0], 0.25, 1e-9);
}

TEST(ColumnMoments, KnowConstantColumnsExactly) {
  ColumnMoments moments(3);
  const std::vector<double> weights = {1, 0};
  moments.add(Matrix(2, 3, std::vector<double>{0.1, 0.1, 5, 7, 7, 7}), weights);
  moments.add(Matrix(2, 3, std::vector<double>{0.1, std::nextafter(0.1, 1), 5, 0.1, 0.1, 5}), {});
  EXPECT_THAT(moments.constant_columns(), ElementsAre(0, 2));
  EXPECT_EQ(moments.scaler().shift[0], 0.1);
  EXPECT_EQ(moments.scaler().scale[0], 1);
  EXPECT_LT(moments.scaler().scale[1], 1e-16);
}

TEST(ColumnMoments, KnowWhichColumnsHaveOutliers) {
  Matrix values(200, 4);
  for (std::size_t row = 0; row < 200; ++row) {
    values(row, 0) = row % 2 == 0 ? 1 : -1;
    values(row, 1) = row == 150 ? -20 : 0;  // 14.1 standard deviations from the mean
    values(row, 2) = 3;
    values(row, 3) = row % 2 == 0 ? 1e200 : -1e200;
  }
  ColumnMoments moments(4);
  moments.add(values.view().row_block(0, 100), {});
  moments.add(values.view().row_block(100, 100), {});
  EXPECT_THAT(moments.columns_with_outliers(10), ElementsAre(1, 3));
  EXPECT_THAT(moments.columns_with_outliers(14.2), ElementsAre(3));
  EXPECT_THAT(moments.columns_with_outliers(0.9), ElementsAre(0, 1, 3));
}

TEST(ColumnMoments, RefuseVariancesThatNoDoubleHolds) {
  const std::vector<std::string> labels = {"column \"x\"", "column \"y\""};
  const auto refuse = [&](double a, double b, const std::string& words) {
    ColumnMoments moments(2);
    moments.add(Matrix(2, 2, std::vector<double>{1, a, 2, b}), {});
    EXPECT_THAT([&] { moments.scaler(labels); }, test::Fails(ErrorCode::data, words));
  };
  refuse(1e308, -1e308, "column \"y\": the variance of its values is beyond the largest double");
  refuse(0, 1e-301, "column \"y\": the variance of its values is below the smallest double, expected other units");
  refuse(1e-301, 3e-301, "column \"y\": the variance");
  ColumnMoments gap(1);
  gap.add(column({1e200, 1e200}), {});
  gap.add(column({-1e200}), {});
  EXPECT_THAT([&] { gap.scaler(); }, test::Fails(ErrorCode::data, "column 0 (counted from 0): the variance"));
}

}  // namespace
}  // namespace credens::data
