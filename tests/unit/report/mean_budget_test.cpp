// SPDX-License-Identifier: Apache-2.0

#include "report/mean_budget.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace credens::report {
namespace {

using testing::ElementsAre;

/// Two rows of one member with these variances.
Predictive rows(double first_noise, double second_noise, double within) {
  return Predictive({.rows = 2,
                     .outputs = 1,
                     .weights = {1},
                     .mean = {5, 6},
                     .aleatoric_variance = {first_noise, second_noise},
                     .epistemic_variance = {within, within}});
}

// Noise variances of 9 and 21 have the mean 15: of all, 15 / 16. Row weights count.
TEST(MeanBudget, HasRootMeanSquaresAndSharesOfTheMeanVariance) {
  MeanBudget budget;
  budget.add(rows(9, 21, 1), {});
  const std::vector<std::string> labels = {"y [MPa]"};
  const Section section = budget.section(labels);
  ASSERT_EQ(section.tables.size(), 1U);
  EXPECT_EQ(section.tables[0].caption, "Budget of y [MPa]");
  EXPECT_THAT(section.tables[0].rows,
              ElementsAre(ElementsAre("noise", "3.87", "93.8 %"), ElementsAre("between members", "0.00", "0.0 %"),
                          ElementsAre("within members", "1.00", "6.2 %"), ElementsAre("total", "4.00", "100.0 %")));
}

TEST(MeanBudget, WeighsRowsAndAddsBlocks) {
  MeanBudget one;
  const double weights[] = {1, 0.5};
  one.add(rows(9, 21, 1), weights);
  MeanBudget blocks;
  blocks.add(rows(9, 9, 1), {});
  blocks.add(rows(21, 9, 1), {});
  const std::vector<std::string> labels = {"y"};
  EXPECT_EQ(one.section(labels).tables[0].rows[0][1], "3.61");  // (9 + 10.5) / 1.5 = 13
  EXPECT_EQ(blocks.section(labels).tables[0].rows[0][1], "3.46");
}

}  // namespace
}  // namespace credens::report
