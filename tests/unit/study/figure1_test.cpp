// SPDX-License-Identifier: Apache-2.0

#include "study/figure1.hpp"

#include <credens/error.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace credens::study {
namespace {

const Figure1& figure() {
  static const Figure1 figure = make_figure1({.seed = 1});
  return figure;
}

Figure1 small_figure(std::uint64_t seed, int threads) {
  return make_figure1({.rows = 40, .test_rows = 25, .members = 3, .seed = seed, .threads = threads});
}

TEST(Figure1, HasThePapersSizes) {
  EXPECT_EQ(figure().train.rows(), 200);
  EXPECT_EQ(figure().wide.members(), 10);
  EXPECT_EQ(figure().wide.posterior(), PosteriorKind::isotropic);
  EXPECT_EQ(figure().x.size(), figure().test.rows());
}

TEST(Figure1, TestsNoRowItTrainedOn) {
  std::set<double> trained;
  for (std::size_t row = 0; row < figure().train.rows(); ++row) trained.insert(figure().train.inputs()(row, 0));
  for (const double x : figure().x) EXPECT_FALSE(trained.contains(x));
}

TEST(Figure1, RunsAlongTheTrueFunction) {
  EXPECT_TRUE(std::is_sorted(figure().x.begin(), figure().x.end()));
  for (std::size_t i = 0; i < figure().x.size(); ++i) {
    const double x = figure().x[i];
    EXPECT_NEAR(figure().truth[i], (std::pow(4.5 * x, 4) - std::pow(18 * x, 2) + 22.5 * x) / 2, 1e-9);
    EXPECT_EQ(figure().test.inputs()(i, 0), x);
  }
}

TEST(Figure1, BothEnsemblesPredictTheSameMean) {
  EXPECT_EQ(figure().classical.mean, figure().extended.mean);
  EXPECT_EQ(figure().classical.scores.rmse, figure().extended.scores.rmse);
}

TEST(Figure1, ExtendedIntervalsHoldTheClassicalOnes) {
  const Figure1Curves& narrow = figure().classical;
  const Figure1Curves& wide = figure().extended;
  for (std::size_t i = 0; i < figure().x.size(); ++i) {
    EXPECT_LT(wide.function_lower[i], narrow.function_lower[i]);
    EXPECT_GT(wide.function_upper[i], narrow.function_upper[i]);
    EXPECT_LT(wide.lower[i], wide.function_lower[i]);
    EXPECT_GT(wide.upper[i], wide.function_upper[i]);
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
                     counted_coverage(curves->function_lower, curves->function_upper));
  }
}

TEST(Figure1, ShowsWhatThePaperShows) {
  EXPECT_LT(figure().classical.scores.function_coverage.value(), 0.85);
  EXPECT_GT(figure().extended.scores.function_coverage.value(), 0.93);
  EXPECT_GT(figure().classical.scores.total_coverage, 0.9);
  EXPECT_LT(figure().extended.scores.function_rmse.value(), 5) << "half the standard deviation of the noise";
}

TEST(Figure1, DoesNotDependOnTheThreads) {
  const Figure1 one = small_figure(3, 1);
  const Figure1 two = small_figure(3, 2);
  EXPECT_EQ(one.extended.mean, two.extended.mean);
  EXPECT_EQ(one.extended.function_upper, two.extended.function_upper);
  EXPECT_EQ(one.wide.gamma(), two.wide.gamma());
}

TEST(Figure1, DependsOnItsSeed) {
  EXPECT_NE(small_figure(3, 0).extended.mean, small_figure(4, 0).extended.mean);
}

TEST(Figure1, TellsHowFarItHasCome) {
  double last = 0;
  make_figure1({.rows = 20, .test_rows = 5, .members = 2, .on_progress = [&](const Progress& progress) {
                  EXPECT_GE(progress.fraction, last);
                  last = progress.fraction;
                }});
  EXPECT_EQ(last, 1);
}

TEST(Figure1, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(make_figure1({.rows = 20, .test_rows = 5, .members = 2, .stop = stop.get_token()}), Error);
}

TEST(Figure1, RefusesToBeMadeOfNothing) {
  EXPECT_THROW(make_figure1({.rows = 0}), Error);
  EXPECT_THROW(make_figure1({.test_rows = 0}), Error);
}

}  // namespace
}  // namespace credens::study
