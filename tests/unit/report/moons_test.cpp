// SPDX-License-Identifier: Apache-2.0

#include "report/moons.hpp"

#include <credens/fit.hpp>
#include <credens/problems.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace credens::report {
namespace {

const Dataset& train_rows() {
  static const Dataset rows = two_moons(60, 4);
  return rows;
}

const Dataset& test_rows() {
  static const Dataset rows = two_moons(80, 9);
  return rows;
}

const Ensemble& wide() {
  static const Ensemble model = fit(train_rows(), {.recipe = Recipe::paper,
                                                   .members = 4,
                                                   .hidden = std::vector<std::vector<std::size_t>>{{16}},
                                                   .activation = std::vector<Activation>{Activation::silu},
                                                   .epochs = 100,
                                                   .learning_rate = std::vector<double>{0.01},
                                                   .prior_precision = 0.03,
                                                   .posterior = PosteriorKind::full,
                                                   .threads = 1});
  return model;
}

const Moons& moons() {
  static const Moons moons = make_moons(wide(), train_rows(), test_rows(), 1);
  return moons;
}

TEST(MoonsGrid, CoversItsPartOfThePlane) {
  const Matrix centres = MoonsGrid::centres();
  ASSERT_EQ(centres.rows(), MoonsGrid::lines * MoonsGrid::columns);
  EXPECT_DOUBLE_EQ(centres(0, 0), -2.9);
  EXPECT_DOUBLE_EQ(centres(0, 1), -2.3);
  EXPECT_DOUBLE_EQ(centres(centres.rows() - 1, 0), 3.9);
  EXPECT_DOUBLE_EQ(centres(centres.rows() - 1, 1), 2.9);
  EXPECT_DOUBLE_EQ(centres(MoonsGrid::columns, 0), centres(0, 0));
}

TEST(Moons, MapsAreThePredictionsAtTheCells) {
  const Matrix centres = MoonsGrid::centres();
  const ClassPredictive extended = wide().predict_classes(centres);
  const ClassPredictive classical = wide().predict_classes(centres, {.classical = true});
  EXPECT_EQ(moons().extended.ignorance, extended.epistemic);
  EXPECT_EQ(moons().extended.noise, extended.aleatoric);
  EXPECT_EQ(moons().classical.ignorance, classical.epistemic);
  for (std::size_t cell = 0; cell < centres.rows(); ++cell) {
    EXPECT_EQ(moons().extended.probability[cell], extended.probability(cell, 0));
  }
}

/// Mean ignorance over the cells whose least distance from a training row lies in (low, high].
double plain_ignorance(const ClassPredictive& map, double low, double high) {
  const Matrix centres = MoonsGrid::centres();
  double sum = 0;
  double count = 0;
  for (std::size_t cell = 0; cell < centres.rows(); ++cell) {
    double least = 1e9;
    for (std::size_t row = 0; row < train_rows().rows(); ++row) {
      const double across = centres(cell, 0) - train_rows().inputs()(row, 0);
      const double up = centres(cell, 1) - train_rows().inputs()(row, 1);
      least = std::min(least, std::sqrt(across * across + up * up));
    }
    if (least <= low || least > high) continue;
    sum += map.epistemic[cell];
    ++count;
  }
  return sum / count;
}

TEST(Moons, IgnoranceIsThatOfCellsNearAndFar) {
  for (const bool classical : {true, false}) {
    const ClassPredictive map = wide().predict_classes(MoonsGrid::centres(), {.classical = classical});
    const MoonsSide& side = classical ? moons().classical : moons().extended;
    EXPECT_NEAR(side.near_ignorance, plain_ignorance(map, -1, 0.25), 1e-14);
    EXPECT_NEAR(side.far_ignorance, plain_ignorance(map, 1, 1e9), 1e-14);
  }
}

TEST(Moons, WideningShowsFarFromTheRows) {
  EXPECT_GT(moons().extended.far_ignorance, 1.5 * moons().classical.far_ignorance);
  EXPECT_GT(moons().extended.far_ignorance, 3 * moons().extended.near_ignorance);
  EXPECT_LT(moons().extended.far_confidence, moons().classical.far_confidence);
  EXPECT_NEAR(moons().extended.scores.log_loss, moons().classical.scores.log_loss, 0.05);
}

TEST(Moons, ScoresAreThoseOfTheTestRows) {
  const ClassScores expected = score(wide().predict_classes(test_rows().inputs()), test_rows().targets());
  EXPECT_EQ(moons().extended.scores.log_loss, expected.log_loss);
  EXPECT_EQ(moons().test_rows, 80U);
  EXPECT_EQ(moons_scores(moons()).rows[0][2], significant(expected.log_loss));
  EXPECT_EQ(moons_scores(moons()).rows[3][1], significant(moons().classical.far_ignorance));
}

TEST(MoonsMaps, ShowSixMapsWithAllTrainingRows) {
  const Figure maps = moons_maps(moons());
  ASSERT_EQ(maps.charts.size(), 6U);
  for (const Chart& chart : maps.charts) {
    ASSERT_EQ(chart.marks.size(), 3U);
    EXPECT_EQ(chart.marks[0].value.size(), MoonsGrid::lines * MoonsGrid::columns);
    EXPECT_EQ(chart.marks[1].x.size() + chart.marks[2].x.size(), 60U);
    for (const double value : chart.marks[0].value) {
      EXPECT_LE(value, chart.colours.range.second + 1e-4);
      EXPECT_GE(value, 0);
    }
    EXPECT_FALSE(chart.description.empty());
    EXPECT_NO_THROW(vega_lite_spec(chart)) << chart.title;
  }
  EXPECT_EQ(maps.charts[2].colours.range, maps.charts[5].colours.range) << "maps of one kind share their colours";
  EXPECT_NEAR(maps.charts[4].marks[0].value[7], moons().extended.noise[7], 1e-4);
}

TEST(Moons, DoNotDependOnTheThreads) {
  const Moons two = make_moons(wide(), train_rows(), test_rows(), 2);
  EXPECT_EQ(two.extended.ignorance, moons().extended.ignorance);
  EXPECT_EQ(two.classical.far_confidence, moons().classical.far_confidence);
}

}  // namespace
}  // namespace credens::report
