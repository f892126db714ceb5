// SPDX-License-Identifier: Apache-2.0

#include "learn/rounding.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "learn/calibration.hpp"
#include "unit/learn/made_up_members.hpp"

namespace credens::learn {
namespace {

/// Made-up members and targets, these rounded to a step.
HeldOut rounded(double step, std::size_t rows = 1000) {
  HeldOut held = heteroscedastic({.rows = rows}, 4);
  for (double& target : held.targets.values()) target = step * std::round(target / step);
  return held;
}

TEST(RoundingStep, IsThatOfTargetsThatTakeFewValues) {
  EXPECT_NEAR(rounding_step(rounded(0.5), 0).value(), 0.5, 1e-12);
  EXPECT_NEAR(rounding_step(rounded(1.0), 0).value(), 1.0, 1e-12);
}

TEST(RoundingStep, IsNoneWhereValuesDoNotRepeat) {
  EXPECT_FALSE(rounding_step(heteroscedastic({.rows = 1000}, 4), 0));
  EXPECT_FALSE(rounding_step(rounded(0.5, 12), 0)) << "12 rows say too little";
}

TEST(RoundingStep, IsNoneWhereItIsNothingBesideTheErrors) {
  EXPECT_FALSE(rounding_step(rounded(0.02), 0));
}

TEST(RoundingStep, IsNoneWhereOneKindTellsTheValuesApart) {
  HeldOut held = heteroscedastic({.rows = 1000, .members = 4, .configurations = 2}, 4);
  for (double& target : held.targets.values()) target = 0.5 * std::round(target / 0.5);
  EXPECT_TRUE(rounding_step(held, 0));
  for (const double error : {0.26, 0.24}) {
    for (MemberAtRows& member : held.members) {
      if (member.configuration == 0) continue;
      member.mean = held.targets;
      for (double& mean : member.mean.values()) mean += error;
    }
    EXPECT_EQ(rounding_step(held, 0).has_value(), error > 0.25) << error;
  }
}

TEST(RoundingStep, IsNoneForATargetThatIsAlwaysTheSame) {
  HeldOut held = rounded(0.5);
  std::ranges::fill(held.targets.values(), 1.0);
  EXPECT_FALSE(rounding_step(held, 0));
}

TEST(UndoRounding, MovesTargetsByUpToHalfAStep) {
  const HeldOut before = rounded(0.5);
  HeldOut after = before;
  ASSERT_TRUE(undo_rounding(after, 3).at(0));
  double squares = 0;
  for (std::size_t r = 0; r < after.rows(); ++r) {
    const double moved = after.targets(r, 0) - before.targets(r, 0);
    EXPECT_LE(std::abs(moved), 0.25);
    squares += moved * moved;
  }
  // The mean square of a uniform number; its standard error over 1,000 rows is 3 %.
  EXPECT_NEAR(squares / static_cast<double>(after.rows()), 0.25 / 12, 0.1 * 0.25 / 12);
}

TEST(UndoRounding, FollowsTheSeed) {
  HeldOut one = rounded(0.5), same = rounded(0.5), other = rounded(0.5);
  undo_rounding(one, 3);
  undo_rounding(same, 3);
  undo_rounding(other, 4);
  EXPECT_EQ(one.targets.values()[7], same.targets.values()[7]);
  EXPECT_NE(one.targets.values()[7], other.targets.values()[7]);
}

TEST(UndoRounding, LeavesOtherTargetsAsTheyAre) {
  HeldOut held = heteroscedastic({.rows = 1000}, 4);
  const HeldOut before = held;
  EXPECT_FALSE(undo_rounding(held, 3).at(0));
  for (std::size_t r = 0; r < held.rows(); ++r) EXPECT_EQ(held.targets(r, 0), before.targets(r, 0));
}

}  // namespace
}  // namespace credens::learn
