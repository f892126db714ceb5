// SPDX-License-Identifier: Apache-2.0

#include "learn/training_set.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/learn/random_rows.hpp"

namespace credens::learn {
namespace {

TEST(Scaling, StandardisesTargetsAlwaysAndInputsWhenAsked) {
  const Dataset data({.inputs = Matrix(2, 1, {1, 5}), .targets = Matrix(2, 1, {10, 30})});
  const Scaling both = TrainingTable(data).scaling(true, false);
  EXPECT_EQ(both.inputs, (data::Scaler{{3}, {2}}));
  EXPECT_EQ(both.targets, (data::Scaler{{20}, {10}}));
  EXPECT_EQ(TrainingTable(data).scaling(false, false).inputs, data::identity_scaler(1));
  EXPECT_EQ(TrainingTable(data).scaling(false, false).targets, both.targets);
}

TEST(Scaling, TransformsHeavyTailedInputsWhenAsked) {
  RandomRows rows = random_rows({.rows = 500, .inputs = 2}, 4);
  rows.inputs(7, 1) = 1e5;
  rows.targets(7, 0) = 1e5;
  const Dataset data = rows.dataset();
  const TrainingTable table(data);
  const Scaling scaling = table.scaling(true, true);
  EXPECT_FALSE(scaling.inputs.has_asinh(0));
  EXPECT_TRUE(scaling.inputs.has_asinh(1));
  EXPECT_TRUE(scaling.targets.width.empty());
  EXPECT_TRUE(table.scaling(true, false).inputs.width.empty());
  EXPECT_EQ(table.scaling(false, true).inputs, data::identity_scaler(2));
  const TrainingSet set = make_training_set(data, scaling);
  EXPECT_EQ(set.input_values[7 * set.input_stride + 1], static_cast<float>(scaling.inputs.apply(1, 1e5)));
}

TEST(Scaling, CountsRowsByTheirWeight) {
  const Dataset data({.inputs = Matrix(2, 1, {0, 4}), .targets = Matrix(2, 1, {0, 4}), .weights = {3, 1}});
  EXPECT_DOUBLE_EQ(TrainingTable(data).scaling(true, false).inputs.shift[0], 1);
  EXPECT_DOUBLE_EQ(TrainingTable(data).scaling(true, false).targets.scale[0], std::sqrt(3.0));
}

TEST(TrainingSet, ScalesRowsAndPadsThem) {
  const Dataset data({.inputs = Matrix(2, 3, {1, 2, 3, 4, 5, 6}), .targets = Matrix(2, 2, {10, 20, 30, 40})});
  const data::Scaler inputs{{1, 0, 0}, {1, 2, 3}};
  const data::Scaler targets{{10, 0}, {10, 40}};
  const TrainingSet set = make_training_set(data, {inputs, targets});
  EXPECT_EQ(set.rows, 2U);
  EXPECT_EQ(set.inputs, 3U);
  EXPECT_EQ(set.outputs, 2U);
  EXPECT_EQ(set.input_stride, 16U);
  ASSERT_EQ(set.input_values.size(), 32U);
  EXPECT_EQ(set.input_values[16], 3.0F);
  EXPECT_EQ(set.input_values[17], 2.5F);
  EXPECT_EQ(set.input_values[18], 2.0F);
  for (std::size_t pad = 19; pad < 32; ++pad) EXPECT_EQ(set.input_values[pad], 0.0F);
  EXPECT_EQ(set.targets, (std::vector<float>{0, 0.5, 2, 1}));
  EXPECT_EQ(set.weight_total, 2);
  EXPECT_TRUE(set.weights.empty());
  EXPECT_TRUE(set.known_variance.empty());
}

TEST(TrainingSet, HasWeightsOfMeanOneAndRemembersTheirSum) {
  const Dataset data({.inputs = Matrix(3, 1), .targets = Matrix(3, 1), .weights = {2, 4, 6}});
  const TrainingSet set = make_training_set(data, {data::identity_scaler(1), data::identity_scaler(1)});
  EXPECT_EQ(set.weights, (std::vector<float>{0.5, 1, 1.5}));
  EXPECT_EQ(set.weight_total, 12);
}

TEST(TrainingSet, HasKnownVariancesInNetworkUnits) {
  const Dataset data({.inputs = Matrix(1, 1), .targets = Matrix(1, 2), .noise_std = Matrix(1, 2, {3, 8})});
  const TrainingSet set = make_training_set(data, {data::identity_scaler(1), {{0, 0}, {2, 4}}});
  EXPECT_EQ(set.known_variance, (std::vector<float>{2.25, 4}));
}

TEST(TrainingSet, RefusesValuesBeyondFloat) {
  const Dataset data({.inputs = Matrix(2, 1, {1, 1e39}), .targets = Matrix(2, 1)});
  try {
    make_training_set(data, {data::identity_scaler(1), data::identity_scaler(1)});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_NE(std::string(error.what()).find("row 1, column 0"), std::string::npos) << error.what();
  }
}

TEST(Subset, CopiesRowsAndKeepsTheSizeOfTheirWeights) {
  const RandomRows rows = random_rows({.rows = 5, .inputs = 3, .outputs = 2, .noise = true, .weights = true}, 2);
  const TrainingSet all = rows.training_set();
  const std::vector<std::uint32_t> chosen{3, 1};
  const TrainingSet part = subset(all, chosen);
  EXPECT_EQ(part.rows, 2U);
  EXPECT_EQ(part.inputs, 3U);
  EXPECT_EQ(part.outputs, 2U);
  EXPECT_EQ(part.input_stride, all.input_stride);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < all.input_stride; ++j) {
      EXPECT_EQ(part.input_values[i * part.input_stride + j], all.input_values[chosen[i] * all.input_stride + j]);
    }
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(part.targets[i * 2 + k], all.targets[chosen[i] * 2 + k]);
      EXPECT_EQ(part.known(i, k), all.known(chosen[i], k));
    }
    EXPECT_EQ(part.weight(i), all.weight(chosen[i]));
  }
  EXPECT_FLOAT_EQ(static_cast<float>(part.weight_total), all.weight(3) + all.weight(1));
}

TEST(Subset, HasNoWeightsOrNoiseWhereTheWholeHasNone) {
  const std::vector<std::uint32_t> chosen{0, 4, 2};
  const TrainingSet part = subset(random_rows({.rows = 5, .inputs = 1}, 2).training_set(), chosen);
  EXPECT_TRUE(part.weights.empty());
  EXPECT_TRUE(part.known_variance.empty());
  EXPECT_EQ(part.weight_total, 3);
}

}  // namespace
}  // namespace credens::learn
