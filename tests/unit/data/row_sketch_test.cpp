// SPDX-License-Identifier: Apache-2.0

#include "data/row_sketch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/random.hpp"

namespace credens::data {
namespace {

using testing::Each;
using testing::Lt;
using testing::Optional;
using testing::SizeIs;

struct SomeRows {
  Matrix inputs;
  Matrix targets;

  SomeRows(std::size_t rows, std::uint64_t seed) : inputs(rows, 70), targets(rows, 2) {
    base::RandomStream random({.seed = seed, .purpose = base::Purpose::test});
    for (std::size_t row = 0; row < rows; ++row) {
      for (double& value : inputs.row(row)) value = random.normal();
      for (double& value : targets.row(row)) value = random.normal();
    }
  }

  /// Some rows in an order of their own.
  SomeRows(const SomeRows& other, const std::vector<std::size_t>& rows)
      : inputs(rows.size(), 70), targets(rows.size(), 2) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::ranges::copy(other.inputs.row(rows[i]), inputs.row(i).begin());
      std::ranges::copy(other.targets.row(rows[i]), targets.row(i).begin());
    }
  }

  RowBlock block() const { return {.inputs = inputs, .targets = targets}; }
};

std::vector<std::uint64_t> sketch_of(const SomeRows& table) {
  RowSketch sketch;
  sketch.add(table.block());
  return sketch.hashes();
}

std::optional<double> share_of(const SomeRows& table, const std::vector<std::uint64_t>& hashes) {
  SharedRows shared(hashes);
  shared.add(table.block());
  return shared.share();
}

std::vector<std::size_t> reversed(std::size_t rows) {
  std::vector<std::size_t> order(rows);
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  return order;
}

TEST(RowSketch, HoldsTheSmallestHashes) {
  const SomeRows table(2000, 1);
  std::set<std::uint64_t> hashes;
  for (std::size_t row = 0; row < 2000; ++row) hashes.insert(row_hash(table.block(), row));
  ASSERT_THAT(hashes, SizeIs(2000));
  EXPECT_THAT(hashes, Each(Lt(std::uint64_t{1} << 53)));
  EXPECT_EQ(sketch_of(table), std::vector<std::uint64_t>(hashes.begin(), std::next(hashes.begin(), 256)));
}

TEST(RowSketch, IsTheSameForRowsInAnyOrder) {
  const SomeRows table(2000, 1);
  EXPECT_EQ(sketch_of(SomeRows(table, reversed(2000))), sketch_of(table));
}

TEST(RowHash, DependsOnEveryValueButNotOnTheSignOfZero) {
  SomeRows table(1, 2);
  table.inputs(0, 5) = 0;
  const std::uint64_t before = row_hash(table.block(), 0);
  table.inputs(0, 5) = -0.0;
  EXPECT_EQ(row_hash(table.block(), 0), before);
  for (std::size_t col = 0; col < 70; ++col) {
    SomeRows other = table;
    other.inputs(0, col) += 1;
    EXPECT_NE(row_hash(other.block(), 0), before) << col;
  }
  table.targets(0, 1) += 1;
  EXPECT_NE(row_hash(table.block(), 0), before);
}

TEST(SharedRows, RecogniseTheSetInAnyOrder) {
  for (const std::size_t rows : {1, 100, 256, 257, 3000}) {
    const SomeRows table(rows, 3);
    EXPECT_THAT(share_of(SomeRows(table, reversed(rows)), sketch_of(table)), Optional(1.0)) << rows;
  }
}

TEST(SharedRows, AreNoneOfOtherRows) {
  EXPECT_THAT(share_of(SomeRows(3000, 5), sketch_of(SomeRows(3000, 4))), Optional(0.0));
}

TEST(SharedRows, AreCountedWhereOnlySomeBelong) {
  const SomeRows small(200, 6);
  SomeRows mixed(100, 7);
  for (std::size_t row = 0; row < 25; ++row) {
    std::ranges::copy(small.inputs.row(row), mixed.inputs.row(row).begin());
    std::ranges::copy(small.targets.row(row), mixed.targets.row(row).begin());
  }
  EXPECT_THAT(share_of(mixed, sketch_of(small)), Optional(0.25));  // a small set is known by all of its rows
}

TEST(SharedRows, AreNotKnownWithoutASketch) {
  EXPECT_EQ(share_of(SomeRows(10, 8), {}), std::nullopt);
}

}  // namespace
}  // namespace credens::data
