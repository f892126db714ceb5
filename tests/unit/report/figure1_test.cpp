// SPDX-License-Identifier: Apache-2.0

#include "report/figure1.hpp"

#include <credens/fit.hpp>
#include <credens/problems.hpp>
#include <credens/widen.hpp>

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace credens::report {
namespace {

/// The paper's rows and settings.
Figure1 make_figure(std::uint64_t seed, int threads) {
  const SimulatedData problem = figure1_problem(500, seed);
  std::vector<std::size_t> rows(500);
  std::iota(rows.begin(), rows.end(), 0);
  const auto test = std::span(rows).subspan(200);
  std::ranges::sort(test, {}, [&](std::size_t row) { return problem.data.inputs()(row, 0); });
  Matrix truth(test.size(), 1);
  for (std::size_t i = 0; i < test.size(); ++i) truth(i, 0) = problem.truth(test[i], 0);
  const Dataset train = problem.data.select(std::span(rows).first(200));
  const FitOptions options{.recipe = Recipe::paper,
                           .members = 10,
                           .epochs = 60,
                           .batch = 64,
                           .learning_rate = 0.005,
                           .schedule = Schedule::drop_last_five,
                           .prior_precision = 1.0,
                           .posterior = PosteriorKind::isotropic,
                           .standardise_inputs = false,
                           .seed = seed,
                           .threads = threads};
  return make_figure1(widen(fit(train, options), train), train.rows(), problem.data.select(test), truth, threads);
}

const Figure1& figure() {
  static const Figure1 figure = make_figure(1, 1);
  return figure;
}

TEST(Figure1, RunsAlongTheTestRows) {
  EXPECT_EQ(figure().train_rows, 200);
  EXPECT_EQ(figure().gamma.size(), 10);
  EXPECT_EQ(figure().x.size(), 300);
  EXPECT_TRUE(std::ranges::is_sorted(figure().x));
  for (const auto* column : {&figure().truth, &figure().classical.rows.mean, &figure().extended.rows.upper}) {
    EXPECT_EQ(column->size(), 300);
  }
}

TEST(Figure1, BothEnsemblesPredictTheSameMean) {
  EXPECT_EQ(figure().classical.rows.mean, figure().extended.rows.mean);
  EXPECT_EQ(figure().classical.scores.rmse, figure().extended.scores.rmse);
}

TEST(Figure1, ExtendedIntervalsHoldTheClassicalOnes) {
  const Figure1Curves& narrow = figure().classical;
  const Figure1Curves& wide = figure().extended;
  for (std::size_t i = 0; i < figure().x.size(); ++i) {
    EXPECT_LT(wide.rows.function_lower[i], narrow.rows.function_lower[i]);
    EXPECT_GT(wide.rows.function_upper[i], narrow.rows.function_upper[i]);
    EXPECT_LT(wide.rows.lower[i], wide.rows.function_lower[i]);
    EXPECT_GT(wide.rows.upper[i], wide.rows.function_upper[i]);
  }
  EXPECT_GT(wide.mean_epistemic_std, narrow.mean_epistemic_std);
}

/// Share of the true function inside an interval, counted by hand.
double counted_coverage(const std::vector<double>& lower, const std::vector<double>& upper) {
  double inside = 0;
  for (std::size_t i = 0; i < figure().truth.size(); ++i) {
    if (lower[i] <= figure().truth[i] && figure().truth[i] <= upper[i]) ++inside;
  }
  return inside / static_cast<double>(figure().truth.size());
}

TEST(Figure1, CoverageIsTheShareInsideTheInterval) {
  for (const Figure1Curves* curves : {&figure().classical, &figure().extended}) {
    EXPECT_DOUBLE_EQ(curves->scores.function_coverage.value(),
                     counted_coverage(curves->rows.function_lower, curves->rows.function_upper));
  }
}

TEST(Figure1, ShowsWhatThePaperShows) {
  EXPECT_LT(figure().classical.scores.function_coverage.value(), 0.85);
  EXPECT_GT(figure().extended.scores.function_coverage.value(), 0.93);
  EXPECT_GT(figure().classical.scores.total_coverage, 0.9);
  EXPECT_LT(figure().extended.scores.function_rmse.value(), 5) << "half the standard deviation of the noise";
}

TEST(Figure1, DoesNotDependOnTheThreads) {
  const Figure1 two = make_figure(1, 2);
  EXPECT_EQ(two.extended.rows.mean, figure().extended.rows.mean);
  EXPECT_EQ(two.extended.rows.function_upper, figure().extended.rows.function_upper);
  EXPECT_EQ(two.gamma, figure().gamma);
}

TEST(Figure1Panels, ShowBothEnsemblesInThreeWays) {
  const Figure panels = figure1_panels(figure());
  ASSERT_EQ(panels.charts.size(), 6);
  for (const Chart& chart : panels.charts) {
    EXPECT_FALSE(chart.description.empty());
    EXPECT_NO_THROW(vega_lite_spec(chart)) << chart.title;
  }
  EXPECT_EQ(panels.charts[0].y_range, panels.charts[3].y_range) << "panels of one kind share their axis";
  EXPECT_EQ(panels.charts[1].title, "Regression function, classical");
}

TEST(Figure1Page, HasTheScoresAndTheSeed) {
  const Page page = figure1_page(figure(), 7);
  EXPECT_NE(page.footer.find("seed 7"), std::string::npos);
  EXPECT_EQ(page.sections[2].tables.at(0).rows, figure1_scores(figure()).rows);
}

}  // namespace
}  // namespace credens::report
