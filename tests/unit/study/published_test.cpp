// SPDX-License-Identifier: Apache-2.0

#include "study/published.hpp"

#include <gtest/gtest.h>

namespace credens::study {
namespace {

MeasurementKey cell(const std::string& data, const std::string& metric, const std::string& method,
                    std::size_t members) {
  return {.series = "lambda_literal", .data = data, .rows = 1, .members = members, .method = method, .metric = metric};
}

TEST(Published, Table2HasFourLinesForEachOfFourDataSets) {
  EXPECT_EQ(published_table2().size(), 16);
  for (const PublishedLine& line : published_table2()) {
    if (std::string(line.metric) == "rmse") {
      EXPECT_EQ(line.classical_5, line.extended_5) << "widening leaves the mean alone";
      EXPECT_EQ(line.classical_10, line.extended_10);
    } else {
      EXPECT_GE(line.extended_5, line.classical_5) << line.data << " " << line.metric;
      EXPECT_GE(line.extended_10, line.classical_10) << line.data << " " << line.metric;
    }
  }
}

TEST(Published, CellsAreFoundByDataMetricMethodAndMembers) {
  EXPECT_EQ(published("table2", cell("qsar", "epistemic_coverage", "extended", 10)), 0.477);
  EXPECT_EQ(published("table2", cell("yacht", "epistemic_aleatoric_ratio", "classical", 5)), 0.284);
  EXPECT_EQ(published("table2", cell("blog", "rmse", "classical", 10)), 0.683);
  EXPECT_EQ(published("table2", cell("year", "total_coverage", "extended", 5)), 0.952);
  EXPECT_EQ(published("table2", cell("qsar", "rmse", "classical", 7)), std::nullopt);
  EXPECT_EQ(published("table2", cell("qsar", "gamma", "extended", 10)), std::nullopt);
}

TEST(Published, OfTheFiguresOnlyWhatTheTextSaysInNumbers) {
  MeasurementKey key{.series = "members",
                     .data = "figure2",
                     .rows = 600,
                     .members = 1,
                     .method = "extended",
                     .metric = "function_coverage"};
  EXPECT_EQ(published("figure2", key), 0.7);
  key.method = "classical";
  EXPECT_EQ(published("figure2", key), 0.0);
  key.members = 2;
  EXPECT_EQ(published("figure2", key), std::nullopt);
  EXPECT_EQ(published("figure1", {.method = "extended", .metric = "function_coverage"}), 1.0);
  EXPECT_EQ(published("figure1", {.method = "classical", .metric = "function_coverage"}), std::nullopt);
}

TEST(Published, OfTheBenchmarkTheBestOfStandardSplits) {
  MeasurementKey key{.series = "standard", .data = "yacht", .members = 50, .method = "extended", .metric = "rmse"};
  EXPECT_EQ(published("uci", key), 0.48);
  key.metric = "nll";
  EXPECT_EQ(published("uci", key), 0.16);
  key.metric = "crps";
  EXPECT_EQ(published("uci", key), std::nullopt);
  key = {.series = "gap", .data = "yacht", .metric = "nll"};
  EXPECT_EQ(published("uci", key), std::nullopt);
}

Result result_between(double least, double largest) {
  return {.experiment = "table2",
          .key = cell("qsar", "rmse", "classical", 5),
          .paper = 0.555,
          .least = least,
          .largest = largest};
}

TEST(PublishedIsInRange, AllowsForTheRoundingOfThePaper) {
  EXPECT_EQ(published_is_in_range(result_between(0.5, 0.6)), true);
  EXPECT_EQ(published_is_in_range(result_between(0.5554, 0.6)), true);
  EXPECT_EQ(published_is_in_range(result_between(0.5556, 0.6)), false);
  EXPECT_EQ(published_is_in_range(result_between(0.5, 0.5546)), true);
  EXPECT_EQ(published_is_in_range(result_between(0.5, 0.5544)), false);
  Result open = result_between(0, 1);
  open.paper.reset();
  EXPECT_EQ(published_is_in_range(open), std::nullopt);
}

TEST(AddPublished, FillsWhatThePaperPrints) {
  std::vector<Result> results = {result_between(0, 1), result_between(0, 1)};
  results[0].paper.reset();
  results[1].key.metric = "gamma";
  add_published(results);
  EXPECT_EQ(results[0].paper, 0.555);
  EXPECT_EQ(results[1].paper, std::nullopt);
}

}  // namespace
}  // namespace credens::study
