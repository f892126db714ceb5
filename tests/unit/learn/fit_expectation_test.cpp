// SPDX-License-Identifier: Apache-2.0
//
// What fits expect of new rows.

#include <credens/score.hpp>

#include <gtest/gtest.h>

#include "learn/expectation.hpp"
#include "learn/fit.hpp"
#include "learn/member_rows.hpp"
#include "learn/widen.hpp"
#include "unit/learn/random_rows.hpp"

namespace credens::learn {
namespace {

FitOptions quick_options() {
  FitOptions options;
  options.effort = Effort::quick;
  options.epochs = 3;
  options.members = 10;
  options.seed = 4;
  return options;
}

TEST(Expectation, IsThatOfTheFinishedModelWhereOnePartIsHeldOut) {
  FitOptions options = quick_options();
  options.folds = 1;
  const Dataset data = random_rows({.rows = 400, .inputs = 3, .outputs = 2}, 9).dataset();
  const Ensemble model = fit(data, options);
  ASSERT_TRUE(model.expected());
  const std::vector<std::uint32_t> held =
      held_out_rows(Fit(data::rows_of(data), options).plan().options, 0, data.rows());
  Matrix inputs(held.size(), data.inputs().cols());
  Matrix targets(held.size(), 2);
  for (std::size_t i = 0; i < held.size(); ++i) {
    std::ranges::copy(data.inputs().row(held[i]), inputs.row(i).begin());
    std::ranges::copy(data.targets().row(held[i]), targets.row(i).begin());
  }
  const Scores scores = score(model.predict(inputs), targets);
  EXPECT_EQ(model.expected()->rows, held.size());
  EXPECT_NEAR(model.expected()->nll.value, scores.nll, 1e-4);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(model.expected()->outputs[k].rmse.value / scores.per_output[k].rmse, 1, 1e-4);
    EXPECT_NEAR(model.expected()->outputs[k].crps.value / scores.per_output[k].crps, 1, 1e-4);
    EXPECT_DOUBLE_EQ(model.expected()->outputs[k].coverage.value, scores.per_output[k].total_coverage);
  }
}

TEST(Expectation, IsTheSameForAnyThreads) {
  FitOptions options = quick_options();
  const Dataset data = random_rows({.rows = 120, .inputs = 2, .weights = true}, 10).dataset();
  options.threads = 1;
  const Ensemble one = fit(data, options);
  options.threads = 3;
  const Ensemble three = fit(data, options);
  ASSERT_TRUE(one.expected() && three.expected());
  EXPECT_EQ(one.expected()->nll.value, three.expected()->nll.value);
  EXPECT_EQ(one.expected()->outputs[0].rmse.value, three.expected()->outputs[0].rmse.value);
  EXPECT_EQ(one.expected()->outputs[0].crps.standard_error, three.expected()->outputs[0].crps.standard_error);
}

TEST(Expectation, IsNoneWhereNoRowsAreHeldOut) {
  FitOptions options = quick_options();
  options.recipe = Recipe::paper;
  options.hidden = std::vector<std::vector<std::size_t>>{{4}};
  EXPECT_FALSE(fit(random_rows({.rows = 60, .inputs = 2}, 11).dataset(), options).expected());
}

TEST(Expectation, BelongsToThePosteriorWeightsAndRowsOfTheFit) {
  const Dataset data = random_rows({.rows = 120, .inputs = 2}, 12).dataset();
  const Ensemble model = fit(data, quick_options());
  ASSERT_TRUE(model.expected());
  EXPECT_TRUE(widen(model, data).expected());
  EXPECT_FALSE(widen(model, data, {.posterior = PosteriorKind::delta}).expected());
  EXPECT_FALSE(widen(model, data, {.prior_precision = 17}).expected());
  EXPECT_FALSE(widen(model, random_rows({.rows = 120, .inputs = 2}, 13).dataset()).expected());
  EXPECT_FALSE(model.with_weights(std::vector<double>(model.members(), 1)).expected());
  const Ensemble narrow = fit_members(data, quick_options());
  ASSERT_TRUE(narrow.expected());
  EXPECT_EQ(narrow.posterior(), PosteriorKind::delta);
  EXPECT_EQ(narrow.expected()->nll.value, model.expected()->nll.value);
}

}  // namespace
}  // namespace credens::learn
