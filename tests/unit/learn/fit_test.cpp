// SPDX-License-Identifier: Apache-2.0

#include <credens/fit.hpp>
#include <credens/problems.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/ensemble_state.hpp"
#include "unit/learn/random_rows.hpp"

namespace credens {
namespace {

using testing::Each;
using testing::HasSubstr;

double root_mean_square(const Matrix& a, const Matrix& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.rows(); ++i) sum += (a(i, 0) - b(i, 0)) * (a(i, 0) - b(i, 0));
  return std::sqrt(sum / static_cast<double>(a.rows()));
}

TEST(Fit, LearnsTheRegressionFunctionOfFigureOne) {
  const SimulatedData train = figure1_problem(500, 1);
  const SimulatedData test = figure1_problem(200, 2);
  const Ensemble ensemble = fit_members(
      train.data, {.members = 3, .hidden = {{64, 32}}, .epochs = 150, .batch = 32, .learning_rate = 3e-3, .seed = 4});
  const Predictive predictive = ensemble.predict(test.data.inputs());
  Matrix level(200, 1);
  EXPECT_GT(root_mean_square(level, test.truth), 20);
  EXPECT_LT(root_mean_square(predictive.mean(), test.truth), 5);
  double variance = 0;
  for (std::size_t i = 0; i < 200; ++i) variance += predictive.aleatoric_variance()(i, 0) / 200;
  EXPECT_NEAR(std::sqrt(variance), 10, 2);
}

TEST(Fit, IsNarrow) {
  const Dataset data = learn::random_rows({.rows = 20, .inputs = 2}, 1).dataset();
  const Ensemble ensemble = fit_members(data, {.members = 2, .hidden = {{4}}, .epochs = 2});
  EXPECT_EQ(ensemble.members(), 2U);
  EXPECT_EQ(ensemble.posterior(), PosteriorKind::delta);
  EXPECT_THAT(ensemble.gamma(), Each(0.0));
  EXPECT_THAT(ensemble.weights(), Each(0.5));
}

TEST(Fit, SurvivesAConstantTargetAndAConstantInput) {
  const Dataset data({.inputs = Matrix(30, 1, 2.0), .targets = Matrix(30, 1, 7.0)});
  std::vector<std::string> warnings;
  const Ensemble ensemble =
      fit_members(data, {.members = 2, .hidden = {{4}}, .epochs = 30, .on_warning = [&](std::string_view text) {
                           warnings.emplace_back(text);
                         }});
  EXPECT_EQ(warnings.size(), 2U);
  EXPECT_NEAR(ensemble.predict(data.inputs()).mean()(0, 0), 7, 1);
}

TEST(Fit, TakesEveryKindOfNoiseAndNoHiddenLayer) {
  const Dataset data = learn::random_rows({.rows = 40, .inputs = 2, .outputs = 2, .noise = true}, 1).dataset();
  for (const NoiseKind noise : {NoiseKind::shared, NoiseKind::per_output, NoiseKind::constant, NoiseKind::known}) {
    const Ensemble ensemble = fit_members(data, {.members = 2, .hidden = {{}, {5}}, .epochs = 3, .noise = noise});
    EXPECT_EQ(ensemble.outputs(), 2U);
    EXPECT_TRUE(ensemble.state().schema.has_noise);
  }
}

TEST(Fit, RefusesAnAbsurdNumberOfMembersBeforeMakingRoomForThem) {
  const Dataset data = learn::random_rows({.rows = 20, .inputs = 2}, 1).dataset();
  try {
    fit_members(data, {.members = static_cast<std::size_t>(-1) / 2});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_THAT(error.what(), HasSubstr("members"));
  }
}

}  // namespace
}  // namespace credens
