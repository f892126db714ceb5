// SPDX-License-Identifier: Apache-2.0

#include "math/statistics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "support/error_matchers.hpp"

namespace credens::math {
namespace {

using Values = std::vector<double>;

TEST(AllFinite, SeesWhatIsNotWhereverItStands) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float largest = std::numeric_limits<float>::max();
  std::vector<float> values(37, -largest);
  EXPECT_TRUE(all_finite({}));
  EXPECT_TRUE(all_finite(values));
  for (const float bad : {infinity, -infinity, std::numeric_limits<float>::quiet_NaN()}) {
    for (float& value : values) {
      const float before = std::exchange(value, bad);
      EXPECT_FALSE(all_finite(values));
      value = before;
    }
  }
}

struct Weighted {
  Values values;
  Values weights;   // whole numbers
  Values repeated;  // each value as often as its weight says
};

Weighted arbitrary_weighted() {
  const auto pairs = *rc::gen::nonEmpty<std::vector<std::pair<int, unsigned char>>>();
  Weighted result;
  for (const auto& [value, weight] : pairs) {
    result.values.push_back(value / 8.0);
    result.weights.push_back(weight % 5);
    result.repeated.insert(result.repeated.end(), weight % 5, value / 8.0);
  }
  RC_PRE(!result.repeated.empty());
  return result;
}

TEST(CompensatedSum, KeepsWhatAPlainSumLoses) {
  CompensatedSum sum;
  for (const double value : {1.0, 1e100, 1.0, -1e100}) sum.add(value);
  EXPECT_EQ(sum.value(), 2);
}

TEST(CompensatedSum, HardlyDependsOnTheOrder) {
  base::RandomStream random({.seed = 3});
  Values values(10000);
  for (double& value : values) value = random.normal() * std::exp(10 * random.normal());
  CompensatedSum forward;
  CompensatedSum backward;
  for (std::size_t i = 0; i < values.size(); ++i) {
    forward.add(values[i]);
    backward.add(values[values.size() - 1 - i]);
  }
  EXPECT_NEAR(forward.value(), backward.value(), std::numeric_limits<double>::epsilon() * std::abs(forward.value()));
}

TEST(WeightedMean, IsThePlainMeanWithoutWeights) {
  EXPECT_EQ(weighted_mean(Values{1, 2, 6}, {}), 3);
}

TEST(WeightedMean, CountsByWeight) {
  EXPECT_EQ(weighted_mean(Values{1, 5}, Values{3, 1}), 2);
}

TEST(EffectiveCount, IsTheNumberOfValuesThatCountTheSame) {
  EXPECT_DOUBLE_EQ(effective_count(7, {}), 7);
  EXPECT_DOUBLE_EQ(effective_count(3, Values{5, 5, 5}), 3);
  EXPECT_DOUBLE_EQ(effective_count(3, Values{1, 0, 0}), 1);
  EXPECT_DOUBLE_EQ(effective_count(2, Values{3, 1}), 16.0 / 10);
}

TEST(StandardError, IsThatOfAMeanOfIndependentValues) {
  EXPECT_DOUBLE_EQ(standard_error(Values{1, 3, 5, 7}, {}), std::sqrt(5.0 / 3));  // s / sqrt(n), s^2 = 20 / 3
  EXPECT_DOUBLE_EQ(standard_error(Values{1, 3, 5, 7}, Values{2, 2, 2, 2}), std::sqrt(5.0 / 3));
  EXPECT_DOUBLE_EQ(standard_error(Values{1, 3, 5, 7, 90}, Values{1, 1, 1, 1, 0}), std::sqrt(5.0 / 3));
  EXPECT_EQ(standard_error(Values{4}, {}), 0);
}

TEST(WeightedVariance, DividesByTheSumOfTheWeights) {
  EXPECT_EQ(weighted_variance(Values{1, 3}, {}), 1);
  EXPECT_EQ(weighted_variance(Values{0, 4}, Values{3, 1}), 3);
}

TEST(WeightedVariance, SurvivesALargeMean) {
  EXPECT_EQ(weighted_variance(Values{1e15 + 1, 1e15 + 3, 1e15 + 1, 1e15 + 3}, {}), 1);
}

TEST(WeightedMedian, IsTheMiddleValue) {
  EXPECT_EQ(weighted_median(Values{5}, {}), 5);
  EXPECT_EQ(weighted_median(Values{9, 1, 4}, {}), 4);
}

TEST(WeightedMedian, IsTheMeanOfTheNeighboursOnATie) {
  EXPECT_EQ(weighted_median(Values{9, 1, 4, 2}, {}), 3);
  EXPECT_EQ(weighted_median(Values{1, 2, 4}, Values{1, 1, 2}), 3);
}

TEST(WeightedMedian, SeesATieThroughRounding) {
  EXPECT_EQ(weighted_median(Values{1, 2, 4}, Values{0.1, 0.2, 0.3}), 3);
  EXPECT_EQ(weighted_median(Values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, Values(10, 0.1)), 5.5);
}

TEST(WeightedMedian, IsPulledByWeight) {
  EXPECT_EQ(weighted_median(Values{1, 2, 10}, Values{1, 1, 5}), 10);
}

TEST(WeightedMedian, IgnoresValuesOfWeightZero) {
  EXPECT_EQ(weighted_median(Values{1, 2, 3}, Values{1, 0, 1}), 2);
  EXPECT_EQ(weighted_median(Values{1, 100, 3, -100}, Values{1, 0, 1, 0}), 2);
}

TEST(WeightedMedian, DoesNotOverflowBetweenLargeNeighbours) {
  const double largest = std::numeric_limits<double>::max();
  EXPECT_EQ(weighted_median(Values{largest, largest}, {}), largest);
}

TEST(StandardError, IsThatOfTheMeansOfGroups) {
  const std::vector<double> values = {1, 3, 5, 5, 2, 8};
  const std::vector<double> weights = {1, 1, 2, 1, 1, 2};
  const std::vector<std::uint32_t> group = {4, 4, 0, 7, 7, 0};
  const WeightedValues merged = merge_groups(values, weights, group);
  EXPECT_EQ(merged.values, (std::vector<double>{6.5, 2, 3.5}));
  EXPECT_EQ(merged.weights, (std::vector<double>{4, 2, 2}));
  EXPECT_DOUBLE_EQ(standard_error(values, weights, group), standard_error(merged.values, merged.weights));
  EXPECT_DOUBLE_EQ(standard_error(values, weights, {}), standard_error(values, weights));
}

TEST(WeightedStatistics, RefuseNothing) {
  const Values none;
  EXPECT_THAT([&] { weighted_mean(none, {}); }, test::Fails(ErrorCode::data, "0 values", "more than 0"));
  EXPECT_THAT([&] { weighted_variance(none, {}); }, test::Fails(ErrorCode::data, "0 values"));
  EXPECT_THAT([&] { weighted_median(none, {}); }, test::Fails(ErrorCode::data, "0 values"));
  EXPECT_THAT([] { weighted_mean(Values{1, 2}, Values{0, 0}); }, test::Fails(ErrorCode::data, "2 values", "sum 0"));
}

RC_GTEST_PROP(WeightedStatistics, TakeAWeightOfTwoAsTheValueTwice, ()) {
  const Weighted data = arbitrary_weighted();
  const double mean = weighted_mean(data.repeated, {});
  const double variance = weighted_variance(data.repeated, {});
  RC_ASSERT(std::abs(weighted_mean(data.values, data.weights) - mean) <= 1e-12 * std::abs(mean));
  RC_ASSERT(std::abs(weighted_variance(data.values, data.weights) - variance) <= 1e-12 * variance);
  RC_ASSERT(weighted_median(data.values, data.weights) == weighted_median(data.repeated, {}));
}

RC_GTEST_PROP(WeightedStatistics, MedianIsThatOfTheSortedValues, ()) {
  Values values = arbitrary_weighted().repeated;
  const double median = weighted_median(values, {});
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  RC_ASSERT(median == (values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half])));
}

}  // namespace
}  // namespace credens::math
