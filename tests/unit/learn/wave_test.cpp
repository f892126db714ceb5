// SPDX-License-Identifier: Apache-2.0

#include "learn/wave.hpp"

#include <gtest/gtest.h>

namespace credens::learn {
namespace {

TEST(Wave, HasABlockForEachThreadWhereMemorySuffices) {
  EXPECT_EQ(wave_within(1'000'000, {.rows = 100, .sums = 10}, 8), 8);
}

TEST(Wave, HoldsNoMoreThanItMay) {
  EXPECT_EQ(wave_within(1000, {.rows = 300, .sums = 10}, 8), 3);
  EXPECT_EQ(wave_within(1000, {.rows = 10, .sums = 300}, 8), 3);
  EXPECT_EQ(wave_within(1000, {.rows = 10, .sums = 300}, 1), 1);
}

TEST(Wave, HasOneBlockAtLeast) {
  EXPECT_EQ(wave_within(0, {.rows = 100, .sums = 10}, 8), 1);
  EXPECT_EQ(wave_within(5, {.rows = 100, .sums = 10}, 8), 1);
}

}  // namespace
}  // namespace credens::learn
