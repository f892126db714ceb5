// SPDX-License-Identifier: Apache-2.0

#include "cli/progress.hpp"

#include <gmock/gmock.h>

namespace credens::cli {
namespace {

Progress at(double fraction, double elapsed, double left) {
  return {.members_done = 3, .members = 10, .fraction = fraction, .seconds_elapsed = elapsed, .seconds_left = left};
}

TEST(DurationText, SuitsTheLength) {
  EXPECT_EQ(duration_text(0.04), "0.0 s");
  EXPECT_EQ(duration_text(9.94), "9.9 s");
  EXPECT_EQ(duration_text(9.96), "10 s");
  EXPECT_EQ(duration_text(59.6), "1 min 0 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(3900), "1 h 5 min");
}

TEST(ProgressText, IsNeverAheadOfTheWork) {
  EXPECT_EQ(progress_text(at(0.999, 2, 3)), "99 %, 3 of 10 members, 3.0 s left");
}

std::string shown(ProgressKind kind, const std::vector<Progress>& steps) {
  testing::internal::CaptureStderr();
  ProgressDisplay display(kind, 2);
  for (const Progress& step : steps) display.show(step);
  return testing::internal::GetCapturedStderr();
}

TEST(ProgressDisplay, IsSilentInShortRunsAndWhereNoneIsWanted) {
  EXPECT_EQ(shown(ProgressKind::plain, {at(0.5, 1, 1)}), "");
  EXPECT_EQ(shown(ProgressKind::none, {at(0.5, 100, 100)}), "");
}

TEST(ProgressDisplay, WritesFewPlainLinesAndCountsMembersOfEarlierRuns) {
  EXPECT_EQ(shown(ProgressKind::plain, {at(0.5, 2.5, 3), at(0.6, 3, 3), at(0.7, 4.6, 3)}),
            "credens: 50 %, 5 of 12 members, 3.0 s left\ncredens: 70 %, 5 of 12 members, 3.0 s left\n");
}

TEST(ProgressDisplay, WritesAnObjectPerLineForPrograms) {
  EXPECT_EQ(shown(ProgressKind::json, {at(0.5, 1, 1)}),
            R"({"members_done":5,"members":12,"fraction":0.5,"seconds_elapsed":1.0,"seconds_left":1.0})"
            "\n");
}

std::string said(ProgressKind kind, double elapsed) {
  testing::internal::CaptureStderr();
  ProgressDisplay(kind, 0).say("widening", elapsed);
  return testing::internal::GetCapturedStderr();
}

TEST(ProgressDisplay, SaysInLongRunsWhatGoesOnAfterTraining) {
  EXPECT_EQ(said(ProgressKind::plain, 2.5), "credens: widening\n");
  EXPECT_EQ(said(ProgressKind::plain, 1), "");
  EXPECT_EQ(said(ProgressKind::json, 100), "");
  EXPECT_EQ(said(ProgressKind::none, 100), "");
}

}  // namespace
}  // namespace credens::cli
