// SPDX-License-Identifier: Apache-2.0

#include "data/split.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/error_matchers.hpp"

namespace credens::data {
namespace {

RC_GTEST_PROP(SplitRows, GivesEveryRowToOneSide, ()) {
  const auto rows = *rc::gen::inRange<std::size_t>(2, 300);
  const double fraction = *rc::gen::inRange(1, 1000) / 1000.0;
  const SplitRows split = split_rows(rows, {.test_fraction = fraction, .seed = *rc::gen::arbitrary<std::uint64_t>()});
  RC_ASSERT(std::is_sorted(split.rest.begin(), split.rest.end()));
  RC_ASSERT(std::is_sorted(split.test.begin(), split.test.end()));
  std::vector<std::size_t> all;
  std::ranges::merge(split.rest, split.test, std::back_inserter(all));
  for (std::size_t i = 0; i < all.size(); ++i) RC_ASSERT(all[i] == i);
  RC_ASSERT(all.size() == rows);
  const auto wanted = static_cast<std::size_t>(std::llround(fraction * static_cast<double>(rows)));
  RC_ASSERT(split.test.size() == std::clamp<std::size_t>(wanted, 1, rows - 1));
}

TEST(SplitRows, DependsOnTheSeedAlone) {
  const SplitRows first = split_rows(100, {.test_fraction = 0.5, .seed = 1});
  EXPECT_EQ(split_rows(100, {.test_fraction = 0.5, .seed = 1}).test, first.test);
  EXPECT_NE(split_rows(100, {.test_fraction = 0.5, .seed = 2}).test, first.test);
}

TEST(SplitRows, TakesEveryRowEquallyOften) {
  std::vector<int> count(10);
  constexpr int trials = 2000;
  for (std::uint64_t seed = 0; seed < trials; ++seed) {
    for (const std::size_t row : split_rows(10, {.test_fraction = 0.3, .seed = seed}).test) ++count[row];
  }
  // Binomial with mean 600 and standard deviation 20.5.
  for (const int hits : count) EXPECT_NEAR(hits, 600, 5 * 20.5);
}

TEST(SplitRows, RefusesWhatCannotBeSplit) {
  EXPECT_THAT([] { split_rows(1, {}); }, test::Fails(ErrorCode::usage, "1 rows cannot be split, expected at least 2"));
  EXPECT_THAT([] { split_rows(10, {.test_fraction = 1}); }, test::Fails(ErrorCode::usage, "the test fraction is 1"));
  EXPECT_THAT([] { split_rows(10, {.test_fraction = 0}); }, test::Fails(ErrorCode::usage, "the test fraction is 0"));
  EXPECT_THAT([] { split_rows(10, {.test_fraction = std::nan("")}); },
              test::Fails(ErrorCode::usage, "the test fraction is nan"));
}

}  // namespace
}  // namespace credens::data
