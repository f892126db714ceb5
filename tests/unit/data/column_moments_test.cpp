// SPDX-License-Identifier: Apache-2.0

#include "data/column_moments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "support/error_matchers.hpp"

namespace credens::data {
namespace {

using testing::ElementsAre;

Matrix column(std::vector<double> values) {
  const std::size_t rows = values.size();
  return {rows, 1, std::move(values)};
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
