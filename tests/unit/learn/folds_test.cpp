// SPDX-License-Identifier: Apache-2.0

#include "learn/folds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

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
  const auto train = [&] {
    return train_member({.train = rows, .validation = nullptr, .options = options}, 1, [](std::size_t) {}).network;
  };
  const model::Mlp before = train();
  for (const std::uint32_t row : held_out_rows(options, 1, 40)) {
    rows.targets[row] = 5 - rows.targets[row];
    rows.input_values[row * rows.input_stride] = 9;
  }
  EXPECT_TRUE(std::ranges::equal(train().parameters(), before.parameters()));
  rows.targets[seen_rows(options, 1, 40).front()] += 1;
  EXPECT_FALSE(std::ranges::equal(train().parameters(), before.parameters()));
}

}  // namespace
}  // namespace credens::learn
