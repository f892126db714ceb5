// SPDX-License-Identifier: Apache-2.0

#include "learn/progress.hpp"

#include <gtest/gtest.h>

namespace credens::learn {
namespace {

class ProgressMeterTest : public testing::Test {
 protected:
  std::vector<Progress> seen_;
  ProgressMeter meter_{2, 10, [this](const Progress& progress) { seen_.push_back(progress); }};
};

TEST_F(ProgressMeterTest, ReportsTheFirstEpochAndThenAtMostTenTimesASecond) {
  for (std::size_t epoch = 1; epoch <= 9; ++epoch) meter_.epoch_done(0, epoch);
  ASSERT_FALSE(seen_.empty());
  EXPECT_DOUBLE_EQ(seen_.front().fraction, 0.05);
  EXPECT_LE(static_cast<double>(seen_.size()), 2 + 10 * seen_.back().seconds_elapsed);
}

TEST_F(ProgressMeterTest, ReportsTheEndAlways) {
  meter_.epoch_done(0, 1);
  meter_.member_done(0);
  meter_.member_done(1);
  EXPECT_EQ(seen_.back().fraction, 1);
  EXPECT_EQ(seen_.back().members_done, 2U);
  EXPECT_EQ(seen_.back().members, 2U);
  EXPECT_EQ(seen_.back().seconds_left, 0);
  EXPECT_EQ(meter_.members_done(), 2U);
}

TEST_F(ProgressMeterTest, NeverFallsBackWhenAMemberStartsAgain) {
  meter_.epoch_done(0, 6);
  meter_.epoch_done(0, 1);
  meter_.member_done(1);
  meter_.epoch_done(0, 7);
  meter_.member_done(0);
  EXPECT_DOUBLE_EQ(seen_.front().fraction, 0.3);
  for (std::size_t i = 1; i < seen_.size(); ++i) EXPECT_GE(seen_[i].fraction, seen_[i - 1].fraction);
}

TEST(ProgressMeterWithoutListener, CountsAllTheSame) {
  ProgressMeter meter(1, 3, nullptr);
  meter.epoch_done(0, 1);
  meter.member_done(0);
  EXPECT_EQ(meter.members_done(), 1U);
}

}  // namespace
}  // namespace credens::learn
