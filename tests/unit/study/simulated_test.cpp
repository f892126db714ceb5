// SPDX-License-Identifier: Apache-2.0

#include "study/simulated.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "study/figure1.hpp"

namespace credens::study {
namespace {

double value_of(const std::vector<Measurement>& measurements, std::size_t members, const std::string& method,
                const std::string& metric) {
  for (const Measurement& measurement : measurements) {
    const MeasurementKey& key = measurement.key;
    if (key.members == members && key.method == method && key.metric == metric) return measurement.value;
  }
  ADD_FAILURE() << members << " " << method << " " << metric;
  return 0;
}

TEST(Figure1Runs, MeasureWhatTheFigureShows) {
  const auto runs = figure1_runs(2);
  ASSERT_EQ(runs.size(), 2);
  const auto measured = runs[1].work({});
  const Figure1 figure = make_figure1({.seed = 1});
  for (const auto& [method, curves] :
       {std::pair("classical", &figure.classical), std::pair("extended", &figure.extended)}) {
    EXPECT_EQ(value_of(measured, 10, method, "function_coverage"), curves->scores.function_coverage.value());
    EXPECT_EQ(value_of(measured, 10, method, "rmse"), curves->scores.function_rmse.value());
  }
}

TEST(Figure2Grid, QuickKeepsSixSettingsAndTheEnds) {
  const Figure2Grid full = figure2_grid(false);
  const Figure2Grid quick = figure2_grid(true);
  for (const Figure2Grid& grid : {full, quick}) {
    EXPECT_GE(grid.rows.size(), 6);
    EXPECT_GE(grid.members.size(), 6);
    EXPECT_EQ(grid.rows.front(), 100);
    EXPECT_EQ(grid.rows.back(), 3000);
    EXPECT_EQ(grid.members.front(), 1);
    EXPECT_EQ(grid.members.back(), 20);
    EXPECT_TRUE(std::ranges::is_sorted(grid.members));
  }
  EXPECT_TRUE(std::ranges::includes(full.rows, quick.rows)) << "so that a full study goes on from a quick one";
}

TEST(Figure2Runs, HaveNamesAndSettingsOfTheirOwn) {
  std::set<std::string> names;
  std::set<std::string> settings;
  const auto runs = figure2_runs(figure2_grid(false), 3);
  for (const auto& run : runs) {
    names.insert(run.name);
    settings.insert(run.settings);
  }
  EXPECT_EQ(runs.size(), 3 * (figure2_grid(false).rows.size() + 1));
  EXPECT_EQ(names.size(), runs.size());
  EXPECT_EQ(settings.size(), runs.size());
}

TEST(Figure2Runs, MembersOfOneTrainingAreSettings) {
  const auto runs = figure2_runs({.rows = {}, .members = {1, 3}}, 1);
  ASSERT_EQ(runs.size(), 1);
  const auto measured = runs[0].work({});
  EXPECT_EQ(measured.front().key.series, "members");
  EXPECT_EQ(measured.front().key.rows, 600);
  EXPECT_EQ(value_of(measured, 1, "classical", "function_coverage"), 0) << "one network has no spread";
  EXPECT_GT(value_of(measured, 1, "extended", "function_coverage"), 0.5);
  EXPECT_GT(value_of(measured, 3, "classical", "function_coverage"), 0);
  EXPECT_EQ(value_of(measured, 3, "classical", "rmse"), value_of(measured, 3, "extended", "rmse"));
}

TEST(Figure2Runs, GammaOfGivenNetworksFallsLikeOneOverTheRows) {
  const auto measured = figure2_runs({.rows = {}, .members = {2}}, 1)[0].work({});
  std::vector<double> rows_times_gamma;
  for (const Measurement& measurement : measured) {
    if (measurement.key.series != "width") continue;
    rows_times_gamma.push_back(measurement.value * static_cast<double>(measurement.key.rows));
  }
  ASSERT_EQ(rows_times_gamma.size(), figure2_grid(false).rows.size());
  const auto [least, largest] = std::ranges::minmax(rows_times_gamma);
  EXPECT_LT(largest / least, 1.5) << "while the rows grow thirtyfold";
}

TEST(Figure2Runs, DoNotDependOnTheThreads) {
  const auto run = figure2_runs({.rows = {100}, .members = {1}}, 1).front();
  const auto one = run.work({.threads = 1});
  const auto two = run.work({.threads = 2});
  ASSERT_EQ(one.size(), two.size());
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].value, two[i].value) << one[i].key.metric;
}

}  // namespace
}  // namespace credens::study
