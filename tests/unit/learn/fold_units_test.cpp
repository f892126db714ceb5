// SPDX-License-Identifier: Apache-2.0

#include "learn/fold_units.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "learn/member_rows.hpp"
#include "unit/learn/paper_options.hpp"

namespace credens::learn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Kind = FoldUnits::Kind;

/// `count` rows whose inputs all differ.
data::RowKeys different(std::size_t count) {
  data::RowKeys keys;
  for (std::size_t row = 0; row < count; ++row) keys.inputs.push_back(7919 * (row + 1));
  return keys;
}

/// Group of row i is i modulo `groups`, so that groups have nearly the same size and lie scattered.
FoldUnits scattered_groups(std::size_t rows, std::size_t groups) {
  data::RowKeys keys = different(rows);
  for (std::size_t row = 0; row < rows; ++row) keys.groups.push_back(static_cast<double>(row % groups));
  return make_fold_units(keys, rows);
}

base::RandomStream stream(std::uint64_t seed = 1) {
  return base::RandomStream({.seed = seed, .purpose = base::Purpose::folds});
}

TEST(FoldUnits, AreRowsWhereAllInputsDiffer) {
  const FoldUnits units = make_fold_units(different(20), 20);
  EXPECT_TRUE(units.are_rows());
  EXPECT_EQ(units.count, 20U);
  EXPECT_THAT(units.of_row, IsEmpty());
}

TEST(FoldUnits, AreRowsWithoutKeys) {
  EXPECT_TRUE(make_fold_units({}, 20).are_rows());
}

TEST(FoldUnits, JoinRowsWithEqualInputs) {
  data::RowKeys keys = different(12);
  keys.inputs[7] = keys.inputs[2];
  keys.inputs[11] = keys.inputs[2];
  const FoldUnits units = make_fold_units(keys, 12);
  EXPECT_EQ(units.kind, Kind::copies);
  EXPECT_THAT(units.of_row, ElementsAre(0, 1, 2, 3, 4, 5, 6, 2, 7, 8, 9, 2));
  EXPECT_THAT(units.sizes(), ElementsAre(1, 1, 3, 1, 1, 1, 1, 1, 1, 1));
}

TEST(FoldUnits, AreRowsWhereInputsAreAFewConditions) {
  data::RowKeys keys;
  for (std::uint64_t row = 0; row < 100; ++row) keys.inputs.push_back(row % 9);
  EXPECT_TRUE(make_fold_units(keys, 100).are_rows());
  for (std::uint64_t& key : keys.inputs) key = 17 * (key % 10 + 1);
  keys.inputs[99] = 3;
  EXPECT_EQ(make_fold_units(keys, 100).kind, Kind::copies);
}

TEST(FoldUnits, OfGroupsDoNotLookAtInputs) {
  data::RowKeys keys = different(6);
  keys.inputs[3] = keys.inputs[0];
  keys.groups = {4, -0.0, 4, 0, 8, 8};
  const FoldUnits units = make_fold_units(keys, 6);
  EXPECT_EQ(units.kind, Kind::groups);
  EXPECT_THAT(units.of_row, ElementsAre(0, 1, 0, 1, 2, 2));
}

TEST(FoldUnits, OfTimesAreNumberedInTime) {
  data::RowKeys keys = different(5);
  keys.times = {3, 1, 2, 1, -7};
  const FoldUnits units = make_fold_units(keys, 5);
  EXPECT_EQ(units.kind, Kind::times);
  EXPECT_THAT(units.of_row, ElementsAre(3, 1, 2, 1, 0));
}

TEST(FoldUnits, OfTimesCutNoGroup) {
  data::RowKeys keys = different(6);
  keys.times = {1, 2, 3, 4, 5, 6};
  keys.groups = {1, 2, 1, 3, 3, 4};
  EXPECT_THAT(make_fold_units(keys, 6).of_row, ElementsAre(0, 0, 0, 1, 1, 2));
}

TEST(FoldUnits, AreTheSameWhateverNumbersNameTheGroups) {
  data::RowKeys keys = different(6);
  keys.groups = {4, 0, 4, 0, 8, 8};
  data::RowKeys others = keys;
  others.groups = {-1e9, 2.5, -1e9, 2.5, 1, 1};
  EXPECT_EQ(make_fold_units(keys, 6).digits(), make_fold_units(others, 6).digits());
  others.groups.back() = 2.5;
  EXPECT_NE(make_fold_units(keys, 6).digits(), make_fold_units(others, 6).digits());
}

TEST(FoldUnits, OfSomeRowsKeepTheirOrder) {
  data::RowKeys keys = different(5);
  keys.times = {3, 1, 2, 1, -7};
  const FoldUnits part = make_fold_units(keys, 5).subset({0, 1, 3});
  EXPECT_EQ(part.kind, Kind::times);
  EXPECT_EQ(part.count, 2U);
  EXPECT_THAT(part.of_row, ElementsAre(1, 0, 0));
}

TEST(FoldOfUnits, LeavesNoFoldEmptyAndFoldsOfASize) {
  for (const std::size_t groups : {4U, 5U, 17U, 40U}) {
    const FoldUnits units = scattered_groups(200, groups);
    base::RandomStream random = stream(groups);
    const std::vector<std::uint32_t> folds = fold_of_units(units, 4, random);
    std::map<std::uint32_t, std::size_t> rows;
    for (std::size_t row = 0; row < 200; ++row) ++rows[folds[units.unit(row)]];
    ASSERT_EQ(rows.size(), 4U) << groups;
    const auto [least, most] = std::ranges::minmax_element(rows, {}, [](const auto& fold) { return fold.second; });
    EXPECT_LE(most->second - least->second, std::ranges::max(units.sizes())) << groups;
  }
}

TEST(FoldOfUnits, InTimeIsContiguousAndNoneIsEmpty) {
  data::RowKeys keys = different(30);
  for (std::size_t row = 0; row < 30; ++row) keys.times.push_back(row < 25 ? 0 : static_cast<double>(row));
  const FoldUnits units = make_fold_units(keys, 30);
  base::RandomStream random = stream();
  EXPECT_THAT(fold_of_units(units, 3, random), ElementsAre(0, 1, 2, 2, 2, 2));
  EXPECT_THAT(fold_of_units(units, 6, random), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(RowsOfPart, AreWholeUnitsAndLeaveOne) {
  const FoldUnits units = scattered_groups(60, 6);
  base::RandomStream random = stream();
  EXPECT_EQ(rows_of_part(units, 11, 1, random).size(), 20U);
  EXPECT_EQ(rows_of_part(units, 1, 3, random).size(), 30U);
  EXPECT_EQ(rows_of_part(units, 1000, 1, random).size(), 50U);
}

TEST(RowsOfPart, AreTheLastInTime) {
  data::RowKeys keys = different(6);
  keys.times = {6, 1, 5, 2, 4, 3};
  base::RandomStream random = stream();
  EXPECT_THAT(rows_of_part(make_fold_units(keys, 6), 2, 1, random), ElementsAre(0, 2));
}

TEST(HeldOutUnits, ArePartitionsThatSplitNoGroup) {
  const FoldUnits units = scattered_groups(100, 9);
  const FitOptions options = paper({.members = 6, .embedding = {0, 1}, .folds = 3});
  for (const std::size_t first : {0U, 1U}) {
    std::vector<int> times_held(100);
    for (const std::size_t member : {first, first + 2, first + 4}) {
      const std::vector<std::uint32_t> held = held_out_rows(options, member, units);
      std::set<std::uint32_t> inside;
      for (const std::uint32_t row : held) {
        inside.insert(units.unit(row));
        ++times_held[row];
      }
      for (const std::uint32_t row : seen_rows(options, member, units)) EXPECT_FALSE(inside.contains(units.unit(row)));
    }
    EXPECT_THAT(times_held, testing::Each(1));
  }
  EXPECT_NE(held_out_rows(options, 0, units), held_out_rows(options, 1, units));
}

TEST(HeldOutUnits, AreOnePartWithOneFold) {
  const FoldUnits units = scattered_groups(1000, 100);
  const FitOptions options = paper({.members = 3, .folds = 1});
  EXPECT_EQ(held_out_rows(options, 0, units).size(), 100U);
  EXPECT_EQ(held_out_rows(options, 0, units), held_out_rows(options, 2, units));
}

}  // namespace
}  // namespace credens::learn
