// SPDX-License-Identifier: Apache-2.0

#include "learn/training_table.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/memory.hpp"
#include "unit/learn/random_rows.hpp"

namespace credens::learn {
namespace {

constexpr std::size_t row_size = 100;  // of these tests' tables

TEST(Windows, AreOneAsLongAsItHoldsAllRows) {
  const WindowSize size{.window = 1000, .block = 300};
  EXPECT_TRUE(Windows(10, row_size, size).is_one());
  EXPECT_FALSE(Windows(11, row_size, size).is_one());
}

TEST(Windows, CoverAllRowsWithBlocksAndHoldNoMoreThanTheyMay) {
  const WindowSize size{.window = 1000, .block = 300};
  for (const std::size_t rows : {11, 12, 13, 30, 31, 500}) {
    const Windows windows(rows, row_size, size);
    std::size_t next_row = 0;
    for (std::size_t block = 0; block < windows.blocks(); ++block) {
      const RowRange range = windows.rows_of(block);
      EXPECT_EQ(range.first, next_row);
      EXPECT_EQ(windows.block_of(range.first + range.count - 1), block);
      EXPECT_LE(range.count, 3U);
      next_row += range.count;
    }
    EXPECT_EQ(next_row, rows);
    std::size_t next_block = 0;
    for (std::size_t window = 0; window < windows.count(); ++window) {
      const RowRange range = windows.blocks_of(window);
      EXPECT_EQ(range.first, next_block);
      EXPECT_LE(range.count, 3U);
      EXPECT_GE(range.count, windows.blocks() / windows.count());
      next_block += range.count;
    }
    EXPECT_EQ(next_block, windows.blocks());
    EXPECT_LE(windows.largest(), 9U);
  }
}

TEST(Windows, HoldAtLeastARow) {
  const Windows windows(3, row_size, {.window = 50, .block = 10});
  EXPECT_EQ(windows.count(), 3U);
  EXPECT_EQ(windows.largest(), 1U);
}

std::size_t row_bytes(const RowsShape& shape) {
  const Dataset data = random_rows(shape, 1).dataset();
  return TrainingTable(data).row_bytes();
}

TEST(Windows, OfAFitHold256MegabytesOfFloats) {
  EXPECT_EQ(row_bytes({.rows = 3, .inputs = 8}), 4 * 17U);
  EXPECT_EQ(row_bytes({.rows = 3, .inputs = 17, .outputs = 2, .noise = true, .weights = true}), 4 * (32 + 2 + 1 + 2U));
  const std::size_t year = row_bytes({.rows = 3, .inputs = 90});
  const std::size_t most = (std::size_t{256} << 20) / year;
  EXPECT_TRUE(Windows(most, year, {}).is_one());
  EXPECT_FALSE(Windows(most + 1, year, {}).is_one());
  EXPECT_GT(most, 515345U);  // all rows of Year, whose results so stay what they were
}

TEST(MemoryForRows, IsWhatWasGivenOrHalfOfWhatThereIs) {
  EXPECT_EQ(memory_for_rows({12345}), 12345U);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  const std::uint64_t unlimited = memory_for_rows({});
  EXPECT_GT(unlimited, std::uint64_t{64} << 20);
  rlimit lower = before;
  lower.rlim_cur = unlimited;  // half of it is left
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &lower), 0);
  const std::uint64_t limited = memory_for_rows({});  // nothing else: under a sanitizer any allocation would fail here
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(limited, unlimited / 2);
}

TEST(MemoryForRows, IsSharedByTheProcessesOfAMachine) {
  const std::uint64_t alone = memory_for_rows({});
  base::share_memory(4);
  EXPECT_EQ(memory_for_rows({}), alone / 4);
  EXPECT_EQ(memory_for_rows({12345}), 12345U);
  base::share_memory(1);
  EXPECT_EQ(memory_for_rows({}), alone);
}

TEST(WindowsAtOnce, AreAsManyAsMemoryHoldsAndAtLeastOne) {
  FitOptions options{.threads = 8, .memory = {1000}};
  EXPECT_EQ(windows_at_once(options, 300), 3);
  EXPECT_EQ(windows_at_once(options, 2000), 1);
  EXPECT_EQ(windows_at_once(options, 1), 8);
}

}  // namespace
}  // namespace credens::learn
