// SPDX-License-Identifier: Apache-2.0

#include "data/row_summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "support/error_matchers.hpp"

namespace credens::data {
namespace {

using Column = std::vector<double>;

Column normal_column(std::size_t rows, std::uint64_t seed, double scale = 1, double shift = 0) {
  base::RandomStream random({.seed = seed, .purpose = base::Purpose::test});
  Column values(rows);
  for (double& value : values) value = shift + scale * random.normal();
  return values;
}

Dataset dataset_of(const std::vector<Column>& columns, std::vector<double> weights = {}) {
  const std::size_t rows = columns.front().size();
  Matrix inputs(rows, columns.size());
  for (std::size_t j = 0; j < columns.size(); ++j) {
    for (std::size_t i = 0; i < rows; ++i) inputs(i, j) = columns[j][i];
  }
  return Dataset({.inputs = inputs, .targets = Matrix(rows, 1), .weights = std::move(weights)});
}

Scaler asinh_scaler_of(const Dataset& dataset) {
  const auto source = rows_of(dataset);
  const RowSummary summary = summarise(*source, true);
  return asinh_scaler(summary.sample, summary.inputs, labels_of(source->schema().inputs));
}

Scaler asinh_scaler_of(const std::vector<Column>& columns) {
  return asinh_scaler_of(dataset_of(columns));
}

/// Mean 0 and standard deviation 1 of a scaled column: exactly where all rows are in the sample, otherwise as well as
/// a sample can tell.
void expect_standardised(const Scaler& scaler, std::size_t col, const Column& values, double sampled = 0.1) {
  const double error = values.size() <= 10'000 ? 1e-9 : sampled;
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    const double z = scaler.apply(col, value);
    sum += z;
    squares += z * z;
  }
  EXPECT_NEAR(sum / static_cast<double>(values.size()), 0, error);
  EXPECT_NEAR(squares / static_cast<double>(values.size()), 1, error);
}

double farthest(const Scaler& scaler, std::size_t col, const Column& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(scaler.apply(col, value)));
  return largest;
}

TEST(AsinhScaler, IsThePlainOneWhereNoTailIsHeavy) {
  const Dataset dataset = dataset_of({normal_column(1000, 1), Column(1000, 5.0), normal_column(1000, 2, 1e-100)});
  EXPECT_EQ(asinh_scaler_of(dataset), standardising_scaler(dataset.inputs(), {}));
}

TEST(AsinhScaler, TransformsHeavyTailsAroundTheMedianByTheQuartiles) {
  Column heavy = normal_column(20'000, 3, 2.0, 7.0);
  base::RandomStream random({.seed = 4, .purpose = base::Purpose::test});
  for (std::size_t i = 0; i < heavy.size(); i += 100) heavy[i] = 7 + 2 * std::exp(5 * random.normal());
  const Column plain = normal_column(20'000, 5);
  const Scaler scaler = asinh_scaler_of({plain, heavy});
  const Scaler affine = standardising_scaler(dataset_of({plain, heavy}).inputs(), {});
  EXPECT_FALSE(scaler.has_asinh(0));
  EXPECT_EQ(scaler.shift[0], affine.shift[0]);
  EXPECT_EQ(scaler.scale[0], affine.scale[0]);
  ASSERT_TRUE(scaler.has_asinh(1));
  EXPECT_NEAR(scaler.centre[1], 7, 0.1);
  EXPECT_NEAR(scaler.width[1], 2, 0.1);
  expect_standardised(scaler, 1, heavy);
  EXPECT_GT(farthest(affine, 1, heavy), 50);
  EXPECT_LT(farthest(scaler, 1, heavy), 20);
}

TEST(AsinhScaler, TransformsAColumnWithOneOutlierInAHundredThousandRows) {
  Column values = normal_column(100'000, 6);
  values[77'777] = 1e6;
  const Scaler scaler = asinh_scaler_of({values});
  ASSERT_TRUE(scaler.has_asinh(0));
  EXPECT_NEAR(scaler.centre[0], 0, 0.05);
  EXPECT_NEAR(scaler.width[0], 1, 0.05);
  expect_standardised(scaler, 0, values);
  EXPECT_GT(scaler.apply(0, 1) - scaler.apply(0, -1), 1);  // the others still differ from each other
}

TEST(AsinhScaler, TransformsAColumnWithOneOutlierInTwentyRows) {
  Column values = normal_column(20, 6);
  EXPECT_FALSE(asinh_scaler_of({values}).has_asinh(0));
  values[7] = 1e6;
  EXPECT_TRUE(asinh_scaler_of({values}).has_asinh(0));
}

TEST(AsinhScaler, LeavesColumnsOfAHandfulOfRows) {
  EXPECT_FALSE(asinh_scaler_of({Column{0, 0, 0, 1}}).has_asinh(0));
}

TEST(AsinhScaler, SeesAnOutlierThatQuantilesMiss) {
  Column values(100'000, 3.0);
  values[77'777] = 4.5;
  const Scaler scaler = asinh_scaler_of({values});
  EXPECT_EQ(scaler.centre[0], 3);
  EXPECT_EQ(scaler.width[0], 1.5);
  EXPECT_EQ(scaler.apply(0, 3), 0) << "the sample does not have the outlier either: the scale is 1";
  EXPECT_EQ(scaler.apply(0, 4.5), std::asinh(1));
}

TEST(AsinhScaler, TakesTheWidthOfAZeroInflatedColumnFromTheRest) {
  Column values(30'000, 0.0);
  const Column rest = normal_column(300, 7);
  for (std::size_t i = 0; i < rest.size(); ++i) values[100 * i + 13] = std::exp(2 * rest[i]);
  const Scaler scaler = asinh_scaler_of({values});
  EXPECT_EQ(scaler.centre[0], 0);
  EXPECT_NEAR(scaler.width[0], 1, 0.4);
  expect_standardised(scaler, 0, values, 0.3);  // a hundred of the three hundred are in the sample
}

TEST(AsinhScaler, TreatsDuplicateColumnsAlike) {
  Column heavy = normal_column(5'000, 8);
  heavy[17] = -1e9;
  const Scaler scaler = asinh_scaler_of({heavy, normal_column(5'000, 9), heavy});
  EXPECT_EQ(scaler.centre[0], scaler.centre[2]);
  EXPECT_EQ(scaler.width[0], scaler.width[2]);
  EXPECT_EQ(scaler.shift[0], scaler.shift[2]);
  EXPECT_EQ(scaler.scale[0], scaler.scale[2]);
  EXPECT_EQ(scaler.width[1], 0);
  EXPECT_EQ(scaler.centre[1], 0);
}

TEST(AsinhScaler, DoesNotDependOnTheUnit) {
  Column values = normal_column(5'000, 10);
  values[17] = -1e9;
  const Scaler expected = asinh_scaler_of({values});
  for (const double unit : {0x1p-400, 0x1p400}) {  // squares of which are doubles
    Column scaled = values;
    for (double& value : scaled) value *= unit;
    const Scaler scaler = asinh_scaler_of({scaled});
    EXPECT_EQ(scaler.centre[0], expected.centre[0] * unit);
    EXPECT_EQ(scaler.width[0], expected.width[0] * unit);
    EXPECT_EQ(scaler.shift, expected.shift);
    EXPECT_EQ(scaler.scale, expected.scale);
  }
}

TEST(AsinhScaler, RefusesAColumnOfMoreOrdersThanDoubleHas) {
  Column values = normal_column(1'000, 12, 1e-200);
  values[5] = 1e200;
  EXPECT_THAT([&] { asinh_scaler_of({values}); },
              test::Fails(ErrorCode::data, "column 0 (counted from 0): the variance of its values"));
}

TEST(AsinhScaler, LeavesOutRowsWithoutWeight) {
  Column values = normal_column(1'000, 13);
  Column counted = values;
  values.insert(values.begin() + 500, 1e12);
  std::vector<double> weights(1'001, 1.0);
  weights[500] = 0;
  EXPECT_EQ(asinh_scaler_of(dataset_of({values}, weights)).width, std::vector<double>());
  values[20] = counted[20] = 1e4;
  const Scaler scaler = asinh_scaler_of(dataset_of({values}, weights));
  const Scaler expected = asinh_scaler_of({counted});
  EXPECT_EQ(scaler.centre, expected.centre);
  EXPECT_EQ(scaler.width, expected.width);
  EXPECT_NEAR(scaler.scale[0], expected.scale[0], 1e-12);
}

/// Rows (0, i) of weight i + 1, added in blocks.
RowSample sample_of(std::size_t rows, std::size_t block) {
  RowSample sample(2);
  for (std::size_t first = 0; first < rows; first += block) {
    const std::size_t count = std::min(block, rows - first);
    Matrix values(count, 2);
    std::vector<double> weights(count);
    for (std::size_t i = 0; i < count; ++i) {
      values(i, 1) = static_cast<double>(first + i);
      weights[i] = values(i, 1) + 1;
    }
    sample.add(values, weights);
  }
  return sample;
}

TEST(RowSample, HasAllRowsWhileTheyAreFew) {
  for (const std::size_t rows : {1U, 9'999U, 10'000U}) {
    const Matrix values = sample_of(rows, 4096).values();
    ASSERT_EQ(values.rows(), rows);
    for (std::size_t i = 0; i < rows; ++i) ASSERT_EQ(values(i, 1), static_cast<double>(i));
  }
}

TEST(RowSample, DrawsRowsEvenlyAndKeepsThemInOrder) {
  const RowSample sample = sample_of(50'000, 4096);
  const Matrix values = sample.values();
  const std::vector<double> weights = sample.weights();
  ASSERT_EQ(values.rows(), 10'000U);
  std::vector<std::size_t> of_tenth(10);
  std::size_t odd = 0;
  for (std::size_t i = 0; i < values.rows(); ++i) {
    ASSERT_TRUE(i == 0 || values(i, 1) > values(i - 1, 1));
    ASSERT_EQ(weights[i], values(i, 1) + 1);
    const auto row = static_cast<std::size_t>(values(i, 1));
    ++of_tenth[row / 5'000];
    odd += row % 2;
  }
  for (const std::size_t count : of_tenth) EXPECT_NEAR(static_cast<double>(count), 1'000, 130);  // over 4 sigma
  EXPECT_NEAR(static_cast<double>(odd), 5'000, 200);
}

TEST(RowSample, IsTheSameHoweverRowsArrive) {
  EXPECT_EQ(sample_of(30'000, 4096).values(), sample_of(30'000, 77).values());
}

TEST(RowSample, OfWideTablesIsSmaller) {
  RowSample sample(20'000);
  const Matrix row(1, 20'000, 1.0);
  for (std::size_t i = 0; i < 1'500; ++i) sample.add(row, {});
  EXPECT_EQ(sample.rows(), 1'000U);
}

TEST(AsinhScaler, RefusesAScaleWhoseVarianceNoDoubleHolds) {
  for (const double scale : {1e-300, 1e-170, 1e160, 1e300}) {
    EXPECT_THAT(
        [&] {
          asinh_scaler_of({normal_column(100, 1), normal_column(100, 2, scale)});
        },
        test::Fails(ErrorCode::data, "column 1 (counted from 0): the variance of its values is",
                    "expected other units"));
  }
}

TEST(AsinhScaler, TakesAColumnWithAFewValuesThatNoVarianceHolds) {
  Column values = normal_column(100, 2);
  values[7] = 1e300;
  EXPECT_GT(asinh_scaler_of({normal_column(100, 1), values}).width[1], 0.5);
}

}  // namespace
}  // namespace credens::data
