// SPDX-License-Identifier: Apache-2.0

#include "learn/member_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "learn/gradient.hpp"
#include "learn/trainer.hpp"
#include "unit/learn/paper_options.hpp"
#include "unit/learn/random_rows.hpp"

namespace credens::learn {
namespace {

using Rows = std::vector<std::uint32_t>;
using testing::IsEmpty;
using testing::SizeIs;

/// Two kinds.
FitOptions with_folds(std::size_t folds, std::uint64_t seed = 5) {
  return paper({.members = 12, .embedding = {0, 1}, .folds = folds, .seed = seed});
}

Rows all_rows(std::size_t rows) {
  Rows all(rows);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

Rows sorted_union(const Rows& a, const Rows& b) {
  Rows both = a;
  both.insert(both.end(), b.begin(), b.end());
  std::ranges::sort(both);
  return both;
}

TEST(HeldOutRows, OfTheMembersOfAKindAreAPartition) {
  const FitOptions options = with_folds(3);
  for (const std::size_t rows : {3, 10, 31}) {
    for (const std::size_t first : {0, 1, 6, 7}) {
      Rows held;
      for (const std::size_t member : {first, first + 2, first + 4}) {
        const Rows part = held_out_rows(options, member, rows);
        EXPECT_GE(part.size(), rows / 3);
        EXPECT_LE(part.size(), rows / 3 + 1);
        held = sorted_union(held, part);
      }
      EXPECT_EQ(held, all_rows(rows)) << rows << " rows from member " << first;
    }
  }
}

TEST(HeldOutRows, DifferBetweenKindsTurnsAndSeeds) {
  const Rows first = held_out_rows(with_folds(3), 0, 60);
  EXPECT_NE(held_out_rows(with_folds(3), 1, 60), first);
  EXPECT_NE(held_out_rows(with_folds(3), 6, 60), first);
  EXPECT_NE(held_out_rows(with_folds(3), 7, 60), held_out_rows(with_folds(3), 1, 60));
  EXPECT_NE(held_out_rows(with_folds(3, 6), 0, 60), first);
  EXPECT_EQ(held_out_rows(with_folds(3), 0, 60), first);
}

TEST(HeldOutRows, AreTheSameTenthForAllMembersOfOneFold) {
  const FitOptions options = with_folds(1);
  const Rows part = held_out_rows(options, 0, 200);
  EXPECT_THAT(part, SizeIs(20));
  for (std::size_t member = 1; member < 12; ++member) EXPECT_EQ(held_out_rows(options, member, 200), part);
  EXPECT_THAT(held_out_rows(options, 3, 2), SizeIs(1));
  EXPECT_THAT(held_out_rows(options, 3, 200000), SizeIs(5000));
}

TEST(HeldOutRows, AreNoneWithoutFolds) {
  EXPECT_THAT(held_out_rows(with_folds(0), 4, 9), IsEmpty());
  EXPECT_EQ(seen_rows(with_folds(0), 4, 9), all_rows(9));
}

TEST(SeenRows, AreTheOthersAscending) {
  for (const std::size_t folds : {1, 2, 7}) {
    for (std::size_t member = 0; member < 12; ++member) {
      const Rows seen = seen_rows(with_folds(folds), member, 40);
      EXPECT_TRUE(std::ranges::is_sorted(seen));
      EXPECT_EQ(sorted_union(seen, held_out_rows(with_folds(folds), member, 40)), all_rows(40));
    }
  }
}

TEST(TrainMember, NeverLooksAtRowsHeldOut) {
  FitOptions options = paper({.members = 3, .hidden = {{6}}, .epochs = 3, .batch = 8, .folds = 3});
  TrainingSet rows = random_rows({.rows = 40, .inputs = 2}, 3).training_set();
  const auto train = [&] { return *train_member(rows, options, 1, [](std::size_t) {}).member.network; };
  const model::Mlp before = train();
  for (const std::uint32_t row : held_out_rows(options, 1, 40)) {
    rows.targets[row] = 5 - rows.targets[row];
    rows.input_values[row * rows.input_stride] = 9;
  }
  EXPECT_TRUE(std::ranges::equal(train().parameters(), before.parameters()));
  rows.targets[seen_rows(options, 1, 40).front()] += 1;
  EXPECT_FALSE(std::ranges::equal(train().parameters(), before.parameters()));
}

/// 200 rows in blocks of 7 (the last has 4), windows of 5 blocks; the second input is the row's number.
class EpochOfWindows : public testing::Test {
 protected:
  EpochOfWindows() {
    made_.weights.clear();
    for (std::size_t row = 0; row < rows_; ++row) made_.inputs(row, 1) = static_cast<double>(row);
    dataset_.emplace(made_.dataset());
    train_.emplace(*dataset_, WindowSize{.window = 35 * 68, .block = 7 * 68});
    options_ = paper({.members = 12, .standardise_inputs = false, .seed = 5});
  }

  TrainingRows prepared(std::uint64_t memory) {
    options_.memory = {memory};
    return TrainingRows(*train_, options_);
  }

  /// The numbers of the rows in the order of an epoch, window by window.
  static std::vector<Rows> epoch(EpochRows& rows, std::size_t number) {
    std::vector<Rows> windows;
    rows.start(number);
    for (std::size_t window = 0; window < rows.windows(); ++window) {
      const std::size_t expected = rows.rows_in(window);
      const EpochRows::Window next = rows.next();
      EXPECT_EQ(next.order.size(), expected);
      Rows& of_window = windows.emplace_back();
      for (const std::uint32_t place : next.order) {
        of_window.push_back(static_cast<std::uint32_t>(next.set.input_values[place * next.set.input_stride + 1]));
      }
    }
    return windows;
  }

  std::vector<Rows> epoch_of(const TrainingRows& preparation, std::size_t member, std::size_t attempt,
                             std::size_t number) const {
    EpochRows rows(preparation, options_, member, attempt);
    return epoch(rows, number);
  }

  static Rows joined(const std::vector<Rows>& windows) {
    Rows all;
    for (const Rows& window : windows) all.insert(all.end(), window.begin(), window.end());
    std::ranges::sort(all);
    return all;
  }

  static constexpr std::size_t rows_ = 200;
  RandomRows made_ = random_rows({.rows = rows_, .inputs = 2}, 3);
  std::optional<Dataset> dataset_;
  std::optional<TrainingTable> train_;
  FitOptions options_;
};

TEST_F(EpochOfWindows, ShowsEveryRowOnceInWindowsOfWholeBlocks) {
  const TrainingRows preparation = prepared(1);
  ASSERT_TRUE(preparation.are_stored());
  for (std::size_t number = 0; number < 3; ++number) {
    const std::vector<Rows> windows = epoch_of(preparation, 2, 0, number);
    EXPECT_EQ(windows.size(), 6U);  // 29 blocks
    EXPECT_EQ(joined(windows), all_rows(rows_));
    std::set<std::uint32_t> taken;
    for (const Rows& window : windows) {
      std::set<std::uint32_t> blocks;
      for (const std::uint32_t row : window) blocks.insert(row / 7);
      EXPECT_LE(blocks.size(), 5U);
      for (const std::uint32_t block : blocks) EXPECT_TRUE(taken.insert(block).second) << "block " << block;
      EXPECT_FALSE(std::ranges::is_sorted(window));
    }
  }
}

TEST_F(EpochOfWindows, IsTheSameFromMemory) {
  const TrainingRows stored = prepared(1);
  const TrainingRows held = prepared(1'000'000);
  ASSERT_FALSE(held.are_stored());
  for (const std::size_t folds : {0, 1, 3}) {
    options_.folds = folds;
    for (const std::size_t member : {0, 5}) EXPECT_EQ(epoch_of(stored, member, 0, 2), epoch_of(held, member, 0, 2));
  }
}

TEST_F(EpochOfWindows, FollowsFromItsNameAlone) {
  const TrainingRows preparation = prepared(1);
  const std::vector<Rows> windows = epoch_of(preparation, 2, 0, 1);
  EpochRows rows(preparation, options_, 2, 0);
  epoch(rows, 0);
  EXPECT_EQ(epoch(rows, 1), windows);
  EXPECT_NE(epoch_of(preparation, 2, 0, 0), windows);
  EXPECT_NE(epoch_of(preparation, 2, 1, 1), windows);
  EXPECT_NE(epoch_of(preparation, 3, 0, 1), windows);
  options_.seed = 6;
  EXPECT_NE(epoch_of(preparation, 2, 0, 1), windows);
}

TEST_F(EpochOfWindows, IsOneShuffleOfAllRowsWhereOneWindowHoldsThem) {
  const TrainingSet set = made_.training_set();
  const TrainingRows train(set);
  EpochRows rows(train, options_, 4, 1);
  base::RandomStream random({.seed = 5, .purpose = base::Purpose::shuffle, .member = 4, .attempt = 1, .epoch = 3});
  EXPECT_EQ(epoch(rows, 3), std::vector<Rows>{base::permutation(rows_, random)});
}

TEST_F(EpochOfWindows, LeavesOutWhatAMemberMustNotSee) {
  options_.folds = 3;
  options_.validation_fraction = 0.1;
  const TrainingRows preparation = prepared(1);
  const Rows& held_back = preparation.validation_rows();
  EXPECT_EQ(held_back.size(), 20U);
  ASSERT_EQ(preparation.validation()->rows, 20U);
  EXPECT_EQ(preparation.validation()->input_values[preparation.validation()->input_stride + 1],
            static_cast<float>(held_back[1]));
  std::vector<std::size_t> times(rows_);
  for (const std::size_t member : {0, 1, 2}) {
    for (const std::uint32_t row : joined(epoch_of(preparation, member, 0, 0))) ++times[row];
  }
  for (std::uint32_t row = 0; row < rows_; ++row) {
    EXPECT_EQ(times[row], std::ranges::binary_search(held_back, row) ? 0U : 2U) << row;
  }
}

TEST_F(EpochOfWindows, LeavesOutOnePartForAllWithOneFold) {
  options_.folds = 1;
  const TrainingRows preparation = prepared(1);
  const Rows seen = joined(epoch_of(preparation, 0, 0, 0));
  EXPECT_EQ(seen.size(), rows_ - part_size(rows_));
  EXPECT_EQ(joined(epoch_of(preparation, 7, 0, 3)), seen);
  Rows part = draw_judging_rows(options_.seed, rows_, {}, part_size(rows_) + 30);
  part.resize(part_size(rows_));
  for (const std::uint32_t row : part) EXPECT_FALSE(std::ranges::binary_search(seen, row));
}

TEST_F(EpochOfWindows, HasTheMeanLossOfTheRowsThatAreSeen) {
  options_.folds = 3;
  const TrainingRows preparation = prepared(1);
  const model::MlpShape shape{.inputs = 2, .hidden = {4}, .outputs = 1};
  const model::Mlp network = initial_network(shape, 1, 0, 0);
  EpochRows rows(preparation, options_, 1, 0);
  const TrainingSet set = prepared(1'000'000).train();
  const Rows seen = joined(epoch_of(preparation, 1, 0, 0));
  EXPECT_NEAR(rows.mean_loss(network), mean_loss(network, set, seen), 1e-9);
  EXPECT_NEAR(rows.weight_total(), static_cast<double>(seen.size()), 1e-9);
}

constexpr std::size_t row_size = 100;  // bytes

TEST(HeldOutBlocks, AreAPartitionOfEveryBlock) {
  const FitOptions options = paper({.members = 12, .embedding = {0, 1}, .folds = 3, .seed = 5});
  const Windows windows(100, row_size, {.window = 5000, .block = 1100});
  for (const std::size_t first : {0, 1, 6}) {
    Rows all;
    for (const std::size_t member : {first, first + 2, first + 4}) {
      const HeldOutBlocks unseen(options, member, 100, windows, {});
      const std::vector<bool> flags = unseen.contains(all_rows(100));
      for (std::size_t block = 0; block < windows.blocks(); ++block) {
        const Rows rows = unseen.in_block(block);
        EXPECT_TRUE(std::ranges::is_sorted(rows));
        for (const std::uint32_t row : rows) {
          EXPECT_EQ(windows.block_of(row), block);
          EXPECT_TRUE(flags[row]);
        }
        all.insert(all.end(), rows.begin(), rows.end());
      }
    }
    std::ranges::sort(all);
    EXPECT_EQ(all, all_rows(100));
  }
  EXPECT_NE(HeldOutBlocks(options, 0, 100, windows, {}).in_block(2),
            HeldOutBlocks(options, 6, 100, windows, {}).in_block(2));
}

/// How many rows each of ten folds leaves out; none twice, and all by one.
std::vector<std::size_t> fold_sizes(std::size_t rows, std::size_t block_rows) {
  const FitOptions options = paper({.members = 10, .folds = 10, .seed = 5});
  const Windows windows(rows, row_size, {.window = 100 * row_size, .block = block_rows * row_size});
  std::vector<std::size_t> sizes;
  Rows all;
  for (std::size_t member = 0; member < 10; ++member) {
    const HeldOutBlocks unseen(options, member, rows, windows, {});
    const std::size_t before = all.size();
    for (std::size_t block = 0; block < windows.blocks(); ++block) {
      const Rows of_block = unseen.in_block(block);
      all.insert(all.end(), of_block.begin(), of_block.end());
    }
    sizes.push_back(all.size() - before);
  }
  std::ranges::sort(all);
  EXPECT_EQ(all, all_rows(rows));
  return sizes;
}

TEST(HeldOutBlocks, AreAsManyForEachFoldWhereBlocksHaveFewRows) {
  for (const std::size_t block_rows : {1, 2, 9, 19}) {
    for (const std::size_t rows : {2000, 2003}) {
      const std::vector<std::size_t> sizes = fold_sizes(rows, block_rows);
      EXPECT_LE(std::ranges::max(sizes) - std::ranges::min(sizes), 3U) << rows << " in blocks of " << block_rows;
    }
  }
}

TEST(DrawnRows, AreDifferentAndLeaveOutWhatTheyMust) {
  base::RandomStream random({.seed = 1, .purpose = base::Purpose::test});
  const Rows without{3, 4, 90};
  Rows drawn = drawn_rows(random, 100, without, 1000);
  std::ranges::sort(drawn);
  Rows expected = all_rows(100);
  std::erase_if(expected, [&](std::uint32_t row) { return std::ranges::binary_search(without, row); });
  EXPECT_EQ(drawn, expected);
}

}  // namespace
}  // namespace credens::learn
