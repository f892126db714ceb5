// SPDX-License-Identifier: Apache-2.0

#include "data/heavy_tails.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "data/row_summary.hpp"
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

Scaler bending_scaler_of(const Dataset& dataset) {
  const auto source = rows_of(dataset);
  const RowSummary summary = summarise(*source);
  return bending_scaler(*source, summary.inputs, input_labels(source->layout()));
}

Scaler bending_scaler_of(const std::vector<Column>& columns) {
  return bending_scaler_of(dataset_of(columns));
}

/// Mean 0 and standard deviation 1 of what the scaler makes of a column.
void expect_standardised(const Scaler& scaler, std::size_t col, const Column& values) {
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    const double z = scaler.apply(col, value);
    sum += z;
    squares += z * z;
  }
  EXPECT_NEAR(sum / static_cast<double>(values.size()), 0, 1e-9);
  EXPECT_NEAR(squares / static_cast<double>(values.size()), 1, 1e-9);
}

double farthest(const Scaler& scaler, std::size_t col, const Column& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(scaler.apply(col, value)));
  return largest;
}

TEST(BendingScaler, IsThePlainOneWhereNoTailIsHeavy) {
  const Dataset dataset = dataset_of({normal_column(1000, 1), Column(1000, 5.0), normal_column(1000, 2, 1e-100)});
  EXPECT_EQ(bending_scaler_of(dataset), standardising_scaler(dataset.inputs(), {}));
}

TEST(BendingScaler, BendsHeavyTailsAroundTheMedianByTheQuartiles) {
  Column heavy = normal_column(20'000, 3, 2.0, 7.0);
  base::RandomStream random({.seed = 4, .purpose = base::Purpose::test});
  for (std::size_t i = 0; i < heavy.size(); i += 100) heavy[i] = 7 + 2 * std::exp(5 * random.normal());
  const Column plain = normal_column(20'000, 5);
  const Scaler scaler = bending_scaler_of({plain, heavy});
  const Scaler affine = standardising_scaler(dataset_of({plain, heavy}).inputs(), {});
  EXPECT_FALSE(scaler.is_bent(0));
  EXPECT_EQ(scaler.shift[0], affine.shift[0]);
  EXPECT_EQ(scaler.scale[0], affine.scale[0]);
  ASSERT_TRUE(scaler.is_bent(1));
  EXPECT_NEAR(scaler.centre[1], 7, 0.1);
  EXPECT_NEAR(scaler.width[1], 2, 0.1);
  expect_standardised(scaler, 1, heavy);
  EXPECT_GT(farthest(affine, 1, heavy), 50);
  EXPECT_LT(farthest(scaler, 1, heavy), 20);
}

TEST(BendingScaler, BendsAColumnWithOneOutlierInAHundredThousandRows) {
  Column values = normal_column(100'000, 6);
  values[77'777] = 1e6;
  const Scaler scaler = bending_scaler_of({values});
  ASSERT_TRUE(scaler.is_bent(0));
  EXPECT_NEAR(scaler.centre[0], 0, 0.05);
  EXPECT_NEAR(scaler.width[0], 1, 0.05);
  expect_standardised(scaler, 0, values);
  EXPECT_GT(scaler.apply(0, 1) - scaler.apply(0, -1), 1);  // the others still differ from each other
}

TEST(BendingScaler, BendsAColumnWithOneOutlierInTwentyRows) {
  Column values = normal_column(20, 6);
  EXPECT_FALSE(bending_scaler_of({values}).is_bent(0));
  values[7] = 1e6;
  EXPECT_TRUE(bending_scaler_of({values}).is_bent(0));
}

TEST(BendingScaler, LeavesColumnsOfAHandfulOfRows) {
  EXPECT_FALSE(bending_scaler_of({Column{0, 0, 0, 1}}).is_bent(0));
}

TEST(BendingScaler, SeesAnOutlierThatQuantilesMiss) {
  Column values(100'000, 3.0);
  values[77'777] = 4.5;
  const Scaler scaler = bending_scaler_of({values});
  EXPECT_EQ(scaler.centre[0], 3);
  EXPECT_EQ(scaler.width[0], 1.5);
  expect_standardised(scaler, 0, values);
}

TEST(BendingScaler, TakesTheWidthOfAZeroInflatedColumnFromTheRest) {
  Column values(30'000, 0.0);
  const Column rest = normal_column(300, 7);
  for (std::size_t i = 0; i < rest.size(); ++i) values[100 * i + 13] = std::exp(2 * rest[i]);
  const Scaler scaler = bending_scaler_of({values});
  EXPECT_EQ(scaler.centre[0], 0);
  EXPECT_NEAR(scaler.width[0], 1, 0.4);
  expect_standardised(scaler, 0, values);
}

TEST(BendingScaler, TreatsDuplicateColumnsAlike) {
  Column heavy = normal_column(5'000, 8);
  heavy[17] = -1e9;
  const Scaler scaler = bending_scaler_of({heavy, normal_column(5'000, 9), heavy});
  EXPECT_EQ(scaler.centre[0], scaler.centre[2]);
  EXPECT_EQ(scaler.width[0], scaler.width[2]);
  EXPECT_EQ(scaler.shift[0], scaler.shift[2]);
  EXPECT_EQ(scaler.scale[0], scaler.scale[2]);
  EXPECT_EQ(scaler.width[1], 0);
  EXPECT_EQ(scaler.centre[1], 0);
}

TEST(BendingScaler, DoesNotDependOnTheUnit) {
  Column values = normal_column(5'000, 10);
  values[17] = -1e9;
  const Scaler expected = bending_scaler_of({values});
  for (const double unit : {0x1p-600, 0x1p600, 0x1p970}) {  // squares of which are no doubles
    Column scaled = values;
    for (double& value : scaled) value *= unit;
    const Scaler scaler = bending_scaler_of({scaled});
    EXPECT_EQ(scaler.centre[0], expected.centre[0] * unit);
    EXPECT_EQ(scaler.width[0], expected.width[0] * unit);
    EXPECT_EQ(scaler.shift, expected.shift);
    EXPECT_EQ(scaler.scale, expected.scale);
  }
}

TEST(BendingScaler, BendsNormalColumnsWhoseSquaresAreNoDoubles) {
  for (const double unit : {1e300, 1e-300}) {
    const Column values = normal_column(1'000, 11, unit, 3 * unit);
    const Scaler scaler = bending_scaler_of({values});
    EXPECT_NEAR(scaler.centre[0] / unit, 3, 0.1);
    EXPECT_NEAR(scaler.width[0] / unit, 1, 0.1);
    expect_standardised(scaler, 0, values);
  }
}

TEST(BendingScaler, RefusesAColumnOfMoreOrdersThanDoubleHas) {
  Column values = normal_column(1'000, 12, 1e-200);
  values[5] = 1e200;
  EXPECT_THAT([&] { bending_scaler_of({values}); },
              test::Fails(ErrorCode::data, "column 0 (counted from 0): the variance of its values"));
}

TEST(BendingScaler, LeavesOutRowsWithoutWeight) {
  Column values = normal_column(1'000, 13);
  Column counted = values;
  values.insert(values.begin() + 500, 1e12);
  std::vector<double> weights(1'001, 1.0);
  weights[500] = 0;
  EXPECT_EQ(bending_scaler_of(dataset_of({values}, weights)).width, std::vector<double>());
  values[20] = counted[20] = 1e4;
  const Scaler scaler = bending_scaler_of(dataset_of({values}, weights));
  const Scaler expected = bending_scaler_of({counted});
  EXPECT_EQ(scaler.centre, expected.centre);
  EXPECT_EQ(scaler.width, expected.width);
  EXPECT_NEAR(scaler.scale[0], expected.scale[0], 1e-12);
}

TEST(BendingScaler, LeavesTheSourceAtItsFirstRow) {
  Column values = normal_column(5'000, 14);
  values[0] = 1e9;
  const Dataset dataset = dataset_of({values});
  const auto source = rows_of(dataset);
  const RowSummary summary = summarise(*source);
  bending_scaler(*source, summary.inputs, {});
  RowBlock block;
  ASSERT_TRUE(source->next(block));
  EXPECT_EQ(block.first_row, 0U);
}

}  // namespace
}  // namespace credens::data
