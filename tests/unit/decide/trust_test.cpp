// SPDX-License-Identifier: Apache-2.0

#include <credens/trust.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "decide/places.hpp"
#include "support/error_matchers.hpp"
#include "unit/store/example_ensembles.hpp"

namespace credens {
namespace {

using test::Fails;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();


/// Rows of two inputs that go together, and one on its own.
Matrix draw_rows(std::size_t rows, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Matrix inputs(rows, 3);
  for (std::size_t row = 0; row < rows; ++row) {
    inputs(row, 0) = normal(random);
    inputs(row, 1) = inputs(row, 0) + 0.1 * normal(random);
    inputs(row, 2) = normal(random);
  }
  return inputs;
}

Matrix draw_scores(std::size_t rows, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Matrix scores(rows, 1);
  for (double& score : scores.values()) score = normal(random);
  return scores;
}

const Ensemble& plain_model() {
  static const Ensemble model = [] {
    model::EnsembleState state = store::example_state({.inputs = 3});
    state.encoder.scaler = data::identity_scaler(3);
    return store::make_ensemble(std::move(state));
  }();
  return model;
}

Ensemble judging_model(std::size_t training, std::size_t calibration, std::mt19937_64& random) {
  return plain_model().with_promise({.groups = {{"", draw_scores(calibration, random)}},
                                     .training_inputs = draw_rows(training, random),
                                     .calibration_inputs = draw_rows(calibration, random)});
}

TEST(Places, AreAsFarAsPlainLoopsSay) {
  std::mt19937_64 random(1);
  const Matrix training = draw_rows(60, random);
  const data::Encoder encoder(data::identity_scaler(3));
  const decide::Places places(encoder, training);
  for (const double x : {-3.0, 0.1, 5.0}) {
    const std::vector<double> row = {x, -x, training(7, 2)};
    std::vector<double> found(9);
    places.distances_by_input(row, found);
    for (std::size_t input = 0; input < 3; ++input) {
      std::vector<double> distances;
      for (std::size_t i = 0; i < 60; ++i) distances.push_back(std::abs(training(i, input) - row[input]));
      std::ranges::sort(distances);
      EXPECT_DOUBLE_EQ(found[input], distances[0]);
      EXPECT_DOUBLE_EQ(found[3 + input], distances[4]);
      EXPECT_DOUBLE_EQ(found[6 + input], distances[9]);
    }
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < 60; ++i) {
      double squares = 0;
      for (std::size_t input = 0; input < 3; ++input) squares += std::pow(training(i, input) - row[input], 2);
      nearest = std::min(nearest, squares);
    }
    EXPECT_NEAR(places.nearest(row)[0], nearest, 1e-12 * nearest);
  }
}

// One input: the distance with correlations taken away is that in standard deviations, but for the ridge.
TEST(Places, TakeTheSpreadAway) {
  const Matrix training(4, 1, {-20, 20, -20, 20});
  const data::Encoder encoder(data::identity_scaler(1));
  const decide::Places places(encoder, training);
  const std::vector<double> row = {50};
  EXPECT_NEAR(places.nearest(row)[1], 30.0 * 30.0 / (400 + 1e-3), 1e-9);
}

TEST(Places, TakeRareWordsAndGapsForDistant) {
  data::Encoder encoder(data::identity_scaler(2), {{.kind = ColumnKind::category, .codes = {0, 1, 2}, .learned = 3}, {}});
  const Matrix training(5, 2, {0, 1, 0, 2, 0, missing, 1, 4, missing, 5});
  const decide::Places places(encoder, training);
  const auto distance = [&](double word, double number) {
    std::vector<double> found(6);
    const std::vector<double> row = {word, number};
    places.distances_by_input(row, found);
    return std::pair(found[0], found[1]);
  };
  EXPECT_LT(distance(0, 1).first, distance(1, 1).first);
  EXPECT_LT(distance(1, 1).first, distance(2, 1).first);
  EXPECT_EQ(distance(2, 1).first, distance(9, 1).first);
  EXPECT_EQ(distance(missing, 1).first, distance(1, 1).first);
  EXPECT_LT(distance(0, 100).second, distance(0, missing).second);
  const std::vector<double> known = {0, missing};
  EXPECT_EQ(places.nearest(known)[0], 0);
}

// P(p <= a) <= a for new rows like the calibration rows, which are drawn anew in each trial, and tables of them raise few
// alarms.
TEST(TrustJudge, RaisesFalseAlarmsAtTheirRate) {
  constexpr int trials = 400;
  std::mt19937_64 random(4);
  double strange_rows = 0;
  double strange_inputs = 0;
  double ignorant_rows = 0;
  int alarms = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const Ensemble model = judging_model(60, 39, random);
    const TrustJudge judge(model);
    const Matrix inputs = draw_rows(20, random);
    const RowTrust rows = judge.judge(inputs, 1);
    strange_rows += rows.trust[0] <= 0.1 ? 1 : 0;
    ignorant_rows += rows.ignorance[0] <= 0.1 ? 1 : 0;
    strange_inputs += rows.strange_inputs(0, 0.025).empty() ? 0 : 1;
    TableCheck check = check_inputs(model, judge, inputs, rows);
    Matrix targets(20, 1);
    const Predictive predictive = model.predict(inputs, {.threads = 1});
    std::normal_distribution<double> normal;
    for (std::size_t row = 0; row < 20; ++row) {
      const double p = 0.5 * std::erfc(-normal(random) / std::sqrt(2.0));
      targets(row, 0) = predictive.quantile(p)(row, 0);
    }
    check_targets(model, predictive, targets, check);
    EXPECT_EQ(check.tests.size(), 3 + 3 + 2);
    alarms += check.p() <= 0.05 ? 1 : 0;
  }
  const double error = 3 * std::sqrt(0.1 * 0.9 / trials);
  EXPECT_LT(strange_rows / trials, 0.1 + error);
  EXPECT_GT(strange_rows / trials, 0.1 - error);
  EXPECT_LT(ignorant_rows / trials, 0.1 + error);
  EXPECT_GT(ignorant_rows / trials, 0.1 - error);
  EXPECT_LT(strange_inputs / trials, 3 * 3 * 0.025);  // three inputs, three distances
  EXPECT_LT(alarms, trials * (0.05 + 3 * std::sqrt(0.05 * 0.95 / trials)));
}

TEST(TrustJudge, FindsMovedInputsAndBrokenTies) {
  std::mt19937_64 random(9);
  const Ensemble model = judging_model(500, 300, random);
  const TrustJudge judge(model);
  Matrix inputs(3, 3, {0.2, 0.2, 0.1, 0.2, 0.2, 9, 1.5, -1.5, 0});
  const RowTrust rows = judge.judge(inputs);
  EXPECT_GT(rows.trust[0], 0.1);
  EXPECT_LE(rows.trust[1], 0.01);
  EXPECT_EQ(rows.strange_inputs(1, 0.01), std::vector<std::size_t>{2});
  EXPECT_LE(rows.trust[2], 0.02);
  EXPECT_TRUE(rows.strange_inputs(2, 0.01).empty());
  EXPECT_LE(rows.together[2], 0.01);
}

TEST(TrustJudge, GivesARowTheSameInAnyCompany) {
  std::mt19937_64 random(3);
  const Ensemble model = judging_model(100, 50, random);
  const TrustJudge judge(model);
  const Matrix inputs = draw_rows(200, random);
  const RowTrust together = judge.judge(inputs, 2);
  for (const std::size_t row : {std::size_t{0}, std::size_t{77}, std::size_t{199}}) {
    const RowTrust alone = judge.judge(inputs.view().row_block(row, 1), 1);
    EXPECT_EQ(alone.trust[0], together.trust[row]);
    EXPECT_EQ(alone.strangeness[0], together.strangeness[row]);
  }
}

TEST(CheckInputs, NamesTheInputThatMoved) {
  std::mt19937_64 random(6);
  const Ensemble model = judging_model(300, 200, random);
  const TrustJudge judge(model);
  Matrix inputs = draw_rows(100, random);
  for (std::size_t row = 0; row < 100; ++row) inputs(row, 2) = 0.3;  // stuck
  const TableCheck check = check_inputs(model, judge, inputs, judge.judge(inputs));
  EXPECT_LT(check.p(), 1e-6);
  EXPECT_EQ(check.tests[2].name, "x2");
  EXPECT_LT(check.tests[2].p, 1e-6);
  EXPECT_GT(check.tests[0].p, 0.001);
}

TEST(CheckTargets, SaysSinceWhenTheCalibrationIsWrong) {
  std::mt19937_64 random(8);
  const Ensemble model = judging_model(100, 200, random);
  const Matrix inputs = draw_rows(300, random);
  const Predictive predictive = model.predict(inputs);
  Matrix targets = predictive.quantile(0.5);
  const Matrix low = predictive.quantile(0.1586552539314570);
  std::normal_distribution<double> normal;
  for (std::size_t row = 0; row < 300; ++row) {
    const double std = targets(row, 0) - low(row, 0);
    targets(row, 0) += std * (normal(random) + (row < 150 ? 0.0 : 1.5));
  }
  TableCheck check;
  check_targets(model, predictive, targets, check);
  ASSERT_EQ(check.tests.size(), 2U);
  EXPECT_LT(check.tests[0].p, 1e-3);
  EXPECT_LT(check.tests[1].p, 1e-3);
  ASSERT_TRUE(check.tests[1].row.has_value());
  EXPECT_NEAR(static_cast<double>(*check.tests[1].row), 150, 15);
}

TEST(TableCheck, CountsItsTests) {
  EXPECT_DOUBLE_EQ((TableCheck{{{"a", 0, 0.01}, {"b", 0, 0.5}, {"c", 0, 1}}}).p(), 0.03);
  EXPECT_DOUBLE_EQ((TableCheck{{{"a", 0, 0.9}, {"b", 0, 0.5}}}).p(), 1);
}

TEST(TrustJudge, NeedsRowsToCompareWith) {
  EXPECT_THAT([] { TrustJudge{plain_model()}; }, Fails(ErrorCode::usage, "the model keeps no rows to compare with"));
}

}  // namespace
}  // namespace credens
