// SPDX-License-Identifier: Apache-2.0

#include "score/ranked_weights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "support/error_matchers.hpp"
#include "unit/score/plain_class_scores.hpp"

namespace credens::scoring {
namespace {

constexpr std::size_t hold_all = 1'000'000;

std::vector<double> values_of(const RankedWeights& ranks) {
  std::vector<double> values;
  for (const RankedPair& row : ranks.ascending()) values.push_back(row.value);
  return values;
}

TEST(RankedWeights, SortsAndMergesEqualValues) {
  RankedWeights ranks(hold_all);
  ranks.add(0.5, 1, 0);
  ranks.add(0.25, 0, 2);
  ranks.add(0.5, 3, 4);
  ranks.add(0.1, 0, 0);
  EXPECT_THAT(values_of(ranks), testing::ElementsAre(0.25, 0.5));
  EXPECT_EQ(ranks.ascending()[1].first, 4);
  EXPECT_EQ(ranks.ascending()[1].second, 4);
}

TEST(RankedWeights, KeepApartWhatDiffersByOnePartInSixtyFourWhenRounded) {
  RankedWeights ranks(0);
  for (const double value : {1.0, 1 + 1 / 64.0, 0x1p-60, 0x1p-60 * (1 + 1 / 64.0), 0x1p60}) ranks.add(value, 1, 1);
  EXPECT_EQ(ranks.ascending().size(), 5U);
  ranks.add(1 + 0x1p-9, 1, 1);
  EXPECT_EQ(ranks.ascending().size(), 5U);
}

TEST(RankedWeights, RoundTheSmallestAndLargestToTheEdges) {
  RankedWeights ranks(0);
  for (const double value : {std::numeric_limits<double>::infinity(), 0x1p300, 0.0, -0.0, -1e-17, 0x1p-300, 1.0})
    ranks.add(value, 1, 0);
  ASSERT_EQ(ranks.ascending().size(), 3U);
  EXPECT_EQ(ranks.ascending().front().first, 4);
  EXPECT_EQ(ranks.ascending().back().first, 2);
}

TEST(RankedWeights, RoundedValuesAreTheLeastThatCountAsEqual) {
  RankedWeights ranks(0);
  const std::vector<double> values = {0x1p-63, 1e-9, 0.3, 0.75, 1.0, 1.0 + 127.0 / 128, 5e9};
  for (const double value : values) ranks.add(value, 1, 1);
  const std::vector<double> rounded = values_of(ranks);
  ASSERT_EQ(rounded.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_LE(rounded[i], values[i]);
    EXPECT_GT(rounded[i] * (1 + 1 / 128.0), values[i] * (1 - 1e-15)) << values[i];
  }
  EXPECT_EQ(rounded[3], 0.75);
}

TEST(RankedWeights, RoundAfterTheScale) {
  const auto add_all = [](RankedWeights ranks) {
    for (const double value : {1 - 0x1p-20, 1 - 0x1p-21, 1 - 0x1p-22}) ranks.add(value, 1, 1);
    return ranks.ascending().size();
  };
  EXPECT_EQ(add_all(RankedWeights(0)), 1U);
  EXPECT_EQ(add_all(RankedWeights(0, [](double p) { return p / (1 - p); })), 3U);
}

TEST(RankedWeights, HoldAsManyRowsAsAskedAndNoMore) {
  for (const std::size_t most_held : {2, 3}) {
    RankedWeights ranks(most_held);
    for (const double value : {1.0, 1 + 1e-9, 1 + 2e-9}) ranks.add(value, 1, 1);
    EXPECT_EQ(ranks.ascending().size(), most_held == 3 ? 3U : 1U);
  }
}

TEST(MannWhitney, CountsPairsWithTiesAtHalf) {
  base::RandomStream random({.seed = 3, .purpose = base::Purpose::test});
  RankedWeights ranks(hold_all);
  std::vector<double> first;
  std::vector<double> second;
  for (int i = 0; i < 200; ++i) {
    first.push_back(std::floor(random.uniform(2, 12)));
    second.push_back(std::floor(random.uniform(0, 10)));
    ranks.add(first.back(), 1, 0);
    ranks.add(second.back(), 0, 1);
  }
  EXPECT_NEAR(mann_whitney(ranks.ascending()), plain_auroc(first, second), 1e-14);
}

TEST(MannWhitney, OfRoundedValuesIsOffByLittle) {
  base::RandomStream random({.seed = 4, .purpose = base::Purpose::test});
  RankedWeights exact(hold_all);
  RankedWeights rounded(10);
  for (int i = 0; i < 5'000; ++i) {
    const bool is_first = random.uniform(0, 1) < 0.3;
    const double value = std::exp(random.normal() + (is_first ? 1 : 0));
    for (RankedWeights* ranks : {&exact, &rounded}) ranks->add(value, is_first ? 1 : 0, is_first ? 0 : 1);
  }
  EXPECT_LT(rounded.ascending().size(), exact.ascending().size() / 3);
  EXPECT_NEAR(mann_whitney(rounded.ascending()), mann_whitney(exact.ascending()), 5e-5);
  EXPECT_NE(mann_whitney(rounded.ascending()), mann_whitney(exact.ascending()));
}

/// Errors of rows from the surest on, each at a value of its own.
RiskCurve curve_of(const std::vector<double>& errors) {
  RankedWeights ranks(hold_all);
  for (std::size_t i = 0; i < errors.size(); ++i) ranks.add(static_cast<double>(i), errors[i], 1 - errors[i]);
  return risk_curve(ranks.ascending());
}

TEST(RiskCurve, IsTheErrorAmongTheSurestRows) {
  const RiskCurve curve = curve_of({0, 1, 0, 1});
  EXPECT_THAT(curve.coverage, testing::ElementsAre(0.25, 0.5, 0.75, 1));
  EXPECT_THAT(curve.risk, testing::ElementsAre(0, 0.5, testing::DoubleEq(1.0 / 3), 0.5));
  EXPECT_DOUBLE_EQ(curve.area, (0 + 0.5 + 1.0 / 3 + 0.5) / 4);  // the mean over shares 1/N, ..., 1
}

TEST(RiskCurve, CountsRowsAtTheEdgeInPart) {
  const RiskCurve curve = curve_of({0, 1, 0, 1});
  EXPECT_EQ(curve.at(0.1), 0);
  EXPECT_EQ(curve.at(0.25), 0);
  EXPECT_DOUBLE_EQ(curve.at(0.375), 1.0 / 3);
  EXPECT_EQ(curve.at(0.5), 0.5);
  EXPECT_EQ(curve.at(1), 0.5);
  for (const double share : {0.0, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT([&] { curve.at(share); }, test::Fails(ErrorCode::usage, "share is"));
  }
  EXPECT_THAT([] { RiskCurve{}.at(0.5); }, test::Fails(ErrorCode::usage, "no points"));
}

TEST(RiskCurve, LetsEquallySureRowsEnterTogether) {
  RankedWeights ranks(hold_all);
  for (const double error : {1, 0, 0, 0}) ranks.add(0.5, error, 1 - error);
  const RiskCurve curve = risk_curve(ranks.ascending());
  EXPECT_THAT(curve.coverage, testing::ElementsAre(1));
  EXPECT_EQ(curve.area, 0.25);
}

}  // namespace
}  // namespace credens::scoring
