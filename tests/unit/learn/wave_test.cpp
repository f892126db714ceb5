// SPDX-License-Identifier: Apache-2.0

#include "learn/wave.hpp"

#include <gtest/gtest.h>

namespace credens::learn {
namespace {

void expect_wave(const Wave& wave, std::size_t blocks, std::size_t ranks) {
  EXPECT_EQ(wave.blocks, blocks);
  EXPECT_EQ(wave.ranks, ranks);
}

TEST(Wave, HasABlockForEachThreadAndAllRanksWhereMemorySuffices) {
  expect_wave(wave_within(1'000'000, {.rows = 100, .sums = 10}, 8, 64), 8, 64);
}

TEST(Wave, HoldsNoMoreThanItMay) {
  expect_wave(wave_within(1000, {.rows = 300, .sums = 10}, 8, 64), 3, 33);
  expect_wave(wave_within(1000, {.rows = 10, .sums = 300}, 8, 64), 3, 1);
  expect_wave(wave_within(1000, {.rows = 10, .sums = 300}, 1, 64), 1, 3);
}

TEST(Wave, HasOneBlockOfOneRankAtLeast) {
  expect_wave(wave_within(0, {.rows = 100, .sums = 10}, 8, 64), 1, 1);
  expect_wave(wave_within(5, {.rows = 100, .sums = 10}, 8, 64), 1, 1);
}

}  // namespace
}  // namespace credens::learn
