// SPDX-License-Identifier: Apache-2.0

#include "learn/slips.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "learn/training_rows.hpp"
#include "unit/learn/paper_options.hpp"

namespace credens::learn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Rows with three inputs at random, to which targets are added.
struct Drawn {
  explicit Drawn(std::size_t rows, std::uint64_t seed = 1)
      : random({.seed = seed, .purpose = base::Purpose::split}), inputs(rows, 3), targets(rows, 1) {
    for (double& value : inputs.values()) value = random.uniform(-1, 1);
  }

  /// Standard normal.
  Drawn& with_normal_targets() {
    for (double& value : targets.values()) value = random.normal();
    return *this;
  }

  Dataset dataset(std::vector<double> weights = {}) const {
    return Dataset({.inputs = inputs, .targets = targets, .weights = std::move(weights)});
  }

  std::vector<std::uint32_t> slips() const {
    const Dataset data = dataset();
    return TrainingTable(data::rows_of(data), {}, {.slips = true}).slips();
  }

  base::RandomStream random;
  Matrix inputs;
  Matrix targets;
};

TEST(Slips, AreTargetsFarFromAllOthers) {
  Drawn drawn = Drawn(300).with_normal_targets();
  EXPECT_THAT(drawn.slips(), IsEmpty());
  drawn.targets(17, 0) = 1e6;
  EXPECT_THAT(drawn.slips(), ElementsAre(17));
  drawn.targets(200, 0) = -1e4;
  EXPECT_THAT(drawn.slips(), ElementsAre(17, 200));
}

TEST(Slips, AreAtMostTwoPercent) {
  Drawn drawn = Drawn(300).with_normal_targets();
  for (std::size_t row = 0; row < 6; ++row) drawn.targets(40 * row, 0) *= 1e7;
  EXPECT_THAT(drawn.slips(), SizeIs(6));
  drawn.targets(299, 0) = 1e7;
  EXPECT_THAT(drawn.slips(), IsEmpty());
}

TEST(Slips, AreNotFoundInHonestHeavyTails) {
  std::size_t doubted = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Drawn drawn = Drawn(500, seed).with_normal_targets();
    for (double& value : drawn.targets.values()) value = std::exp(value);
    doubted += drawn.slips().size();
  }
  EXPECT_EQ(doubted, 0U);
}

TEST(Slips, AreBelievedWhereInputsForetellThem) {
  Drawn drawn = Drawn(500).with_normal_targets();
  for (std::size_t row = 0; row < 10; ++row) {
    drawn.targets(50 * row, 0) += 1e5;
    drawn.inputs(50 * row, 0) += 5;
  }
  EXPECT_THAT(drawn.slips(), IsEmpty());
}

TEST(Slips, AreNotLookedForInFewRowsNorInTargetsOfOneValue) {
  Drawn few = Drawn(19).with_normal_targets();
  few.targets(3, 0) = 1e6;
  EXPECT_THAT(few.slips(), IsEmpty());
  Drawn constant(100);
  constant.targets(3, 0) = 1e6;
  EXPECT_THAT(constant.slips(), IsEmpty());
}

TEST(Slips, CountNothing) {
  Drawn drawn = Drawn(300).with_normal_targets();
  drawn.targets(17, 0) = 1e6;
  const Dataset data = drawn.dataset();
  std::vector<double> weights(300, 1);
  weights[17] = 0;
  const Dataset weighted = drawn.dataset(weights);
  const TrainingTable table(data::rows_of(data), {}, {.slips = true});
  const TrainingTable other(data::rows_of(weighted));
  std::vector<std::string> warnings;
  FitOptions options = paper();
  options.on_warning = [&](std::string_view sentence) { warnings.emplace_back(sentence); };
  const TrainingRows rows(table, options);
  const TrainingRows expected(other, paper());
  EXPECT_EQ(rows.train().targets, expected.train().targets);
  EXPECT_EQ(rows.train().weights, expected.train().weights);
  EXPECT_EQ(rows.train().weight_total, 299);
  EXPECT_EQ(rows.exact().weights, weights);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("a target is hard to believe and left out: row 17")));
}

TEST(Slips, AreNamedByLine) {
  EXPECT_EQ(places_of({4}, 2), "line 6");
  EXPECT_EQ(places_of({4, 9}, 0), "rows 4, 9");
  EXPECT_EQ(places_of({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 1), "lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more");
}

}  // namespace
}  // namespace credens::learn
