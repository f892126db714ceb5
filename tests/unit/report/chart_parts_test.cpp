// SPDX-License-Identifier: Apache-2.0

#include "report/chart_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace credens::report {
namespace {

using testing::ElementsAre;

/// The smallest and largest q with |p - q| <= 1.96 sqrt(q (1 - q) / n), by bisection: Wilson's definition.
Range plain_wilson(double p, double n) {
  const auto is_plausible = [&](double q) { return std::abs(p - q) <= 1.96 * std::sqrt(q * (1 - q) / n); };
  const auto edge = [&](double inside, double outside) {
    if (is_plausible(outside)) return outside;
    for (int step = 0; step < 200; ++step) {
      const double middle = (inside + outside) / 2;
      (is_plausible(middle) ? inside : outside) = middle;
    }
    return inside;
  };
  const double inside = (p + 1.96 * 1.96 / (2 * n)) / (1 + 1.96 * 1.96 / n);
  return {edge(inside, 0), edge(inside, 1)};
}

TEST(WilsonInterval, HoldsWhatATestDoesNotRefuse) {
  for (const double rows : {1.0, 3.0, 20.5, 1000.0}) {
    for (const double p : {0.0, 0.04, 0.5, 0.75, 1.0}) {
      const auto [low, high] = wilson_interval(p, rows);
      const auto [plain_low, plain_high] = plain_wilson(p, rows);
      EXPECT_NEAR(low, plain_low, 1e-9) << p << " of " << rows;
      EXPECT_NEAR(high, plain_high, 1e-9) << p << " of " << rows;
      EXPECT_LE(low, p);
      EXPECT_GE(high, p);
    }
  }
}

TEST(ExpectedShares, AreANormalIntervalWithinTheUnit) {
  const auto [low, high] = expected_shares(0.5, 100);
  EXPECT_DOUBLE_EQ(low, 0.5 - 1.96 * 0.05);
  EXPECT_DOUBLE_EQ(high, 0.5 + 1.96 * 0.05);
  EXPECT_EQ(expected_shares(0.99, 4).second, 1);
}

TEST(PercentBars, StandSideBySide) {
  const Mark bars = percent_bars("rows", std::vector<double>{0.25, 0.75}, Role::truth);
  EXPECT_THAT(bars.x, ElementsAre(0, 50));
  EXPECT_THAT(bars.x_end, ElementsAre(50, 100));
  EXPECT_THAT(bars.y, ElementsAre(25, 75));
  EXPECT_EQ(bars.role, Role::truth);
}

TEST(CommonAxes, AreLogarithmicForValuesOfSeveralScales) {
  Chart chart;
  set_common_axes(chart, {1, 100});
  EXPECT_TRUE(chart.x_logarithmic && chart.y_logarithmic);
  EXPECT_EQ(chart.x_range, chart.y_range);
  set_common_axes(chart, {0, 100});
  EXPECT_FALSE(chart.x_logarithmic || chart.y_logarithmic);
  EXPECT_EQ(chart.x_range, Range(0, 105));
}

TEST(Selection, IsSilentWhereAllRowsAreShown) {
  EXPECT_EQ(selection(5, 5, "the data"), "");
  EXPECT_EQ(selection(5, 10, "the data"), " Shown are 5 of the 10 rows, evenly spaced in the data.");
}

}  // namespace
}  // namespace credens::report
