// SPDX-License-Identifier: Apache-2.0

#include "learn/training_table.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>
#include <string>

#include "base/memory.hpp"
#include "support/error_matchers.hpp"
#include "support/temporary_folder.hpp"
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

/// 20 rows with an identifier, two words, words in three rows each, a note in some rows, and one number.
std::string table_with_identifiers(std::size_t notes) {
  std::string text = "id,word,three,note,x,y\n";
  for (int row = 0; row < 20; ++row) {
    const std::string note = row < static_cast<int>(notes) ? "note " + std::to_string(row) : "";
    text += fmt::format("i{},w{},t{},{},{},{}\n", row, row % 2, row / 3, note, row, row * row % 7);
  }
  return text;
}

TEST(TrainingTable, LeavesOutColumnsThatNothingCanBeLearnedOf) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "t.csv") << table_with_identifiers(18);
  const TrainingTable expected(data::open_rows(folder / "t.csv", {.targets = {"y"}, .ignore = {"id", "note"}}));
  const Dataset held = Dataset::from_file(folder / "t.csv", {.targets = {"y"}});
  for (const bool is_held : {false, true}) {
    const TrainingTable table(is_held ? data::rows_of(held) : data::open_rows(folder / "t.csv", {.targets = {"y"}}), {},
                              {.inputs = true});
    EXPECT_EQ(table.schema().input_names(), (std::vector<std::string>{"word", "three", "x"}));
    EXPECT_EQ(table.schema().inputs, expected.schema().inputs);
    EXPECT_EQ(table.summary().fingerprint, expected.summary().fingerprint);
    EXPECT_EQ(table.summary().digest, expected.summary().digest);
    EXPECT_EQ(table.scaling(true, true).inputs, expected.scaling(true, true).inputs);
    ASSERT_EQ(table.left_out_inputs().size(), 2U);
    EXPECT_EQ(
        table.left_out_inputs()[1],
        "column \"note\" is left out: it holds 18 words, none in 5 rows or more, of which nothing can be learned; "
        "--categories would keep it");
  }
}

TEST(TrainingTable, KeepsColumnsThatAreAskedForOrOftenMissing) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "t.csv") << table_with_identifiers(15);
  const TrainingTable table(data::open_rows(folder / "t.csv", {.targets = {"y"}, .categories = {"id"}}), {},
                            {.inputs = true});
  EXPECT_EQ(table.schema().input_names(), (std::vector<std::string>{"id", "word", "three", "note", "x"}));
  EXPECT_TRUE(table.left_out_inputs().empty());
}

TEST(TrainingTable, NeedsAnInput) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "t.csv") << table_with_identifiers(0);
  EXPECT_THAT(
      [&] {
        TrainingTable(data::open_rows(folder / "t.csv", {.targets = {"y"}, .inputs = {"id"}}), {}, {.inputs = true});
      },
      test::Fails(ErrorCode::data, "no input is left: column \"id\" is left out"));
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
