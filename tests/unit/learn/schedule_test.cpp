// SPDX-License-Identifier: Apache-2.0

#include "learn/schedule.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace credens::learn {
namespace {

std::vector<double> all_rates(Schedule schedule, std::size_t epochs) {
  std::vector<double> rates;
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
    rates.push_back(scheduled_rate(schedule, 8, {.epoch = epoch, .epochs = epochs, .step = epoch, .steps = epochs}));
  }
  return rates;
}

TEST(ScheduledRate, StaysConstant) {
  EXPECT_EQ(all_rates(Schedule::constant, 3), (std::vector<double>{8, 8, 8}));
}

TEST(ScheduledRate, DropsToATenthInTheLastFiveEpochs) {
  const std::vector<double> expected{8, 8, 0.8, 0.8, 0.8, 0.8, 0.8};
  const auto rates = all_rates(Schedule::drop_last_five, 7);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_DOUBLE_EQ(rates[i], expected[i]);
}

TEST(ScheduledRate, HalvesInEachOfTheLastFiveEpochs) {
  EXPECT_EQ(all_rates(Schedule::halve_last_five, 7), (std::vector<double>{8, 8, 4, 2, 1, 0.5, 0.25}));
}

TEST(ScheduledRate, TakesAllEpochsForTheLastFiveIfThereAreFewer) {
  EXPECT_EQ(all_rates(Schedule::halve_last_five, 2), (std::vector<double>{4, 2}));
  EXPECT_DOUBLE_EQ(all_rates(Schedule::drop_last_five, 1).front(), 0.8);
}

TEST(ScheduledRate, RisesWithinFiftyStepsAndThenFollowsHalfACosineToZero) {
  const auto rates = all_rates(Schedule::cosine, 1050);
  EXPECT_DOUBLE_EQ(rates[0], 8.0 / 51);
  EXPECT_DOUBLE_EQ(rates[49], 8.0 * 50 / 51);
  EXPECT_DOUBLE_EQ(rates[50], 8);
  EXPECT_DOUBLE_EQ(rates[300], 4 + 4 * std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(rates[550], 4);
  EXPECT_NEAR(rates[1049], 0, 1e-4);
}

TEST(ScheduledRate, HasNoRiseWhereStepsAreFew) {
  const auto rates = all_rates(Schedule::cosine, 4);
  EXPECT_DOUBLE_EQ(rates[0], 8);
  EXPECT_DOUBLE_EQ(rates[1], 4 + 4 * std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(rates[2], 4);
  EXPECT_DOUBLE_EQ(rates[3], 4 - 4 * std::sqrt(0.5));
}

}  // namespace
}  // namespace credens::learn
