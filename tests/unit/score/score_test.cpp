// SPDX-License-Identifier: Apache-2.0

#include <credens/score.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>

#include "score/score_fields.hpp"
#include "support/error_matchers.hpp"
#include "unit/model/random_components.hpp"
#include "unit/score/plain_scores.hpp"

namespace credens::scoring {
namespace {

using model::random_components;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr IntervalKind all_intervals[] = {IntervalKind::gaussian, IntervalKind::mixture};

/// A predictive distribution and targets drawn roughly from it.
struct Problem {
  Predictive predictive;
  Matrix targets;
};

Problem random_problem(const model::ComponentsShape& shape) {
  Problem problem{Predictive(random_components(shape)), Matrix(shape.rows, shape.outputs)};
  base::RandomStream random({.seed = shape.seed + 1, .purpose = base::Purpose::test});
  for (double& value : problem.targets.values()) value = 3 + 1.5 * random.normal();
  return problem;
}

void expect_close(const Scores& found, const Scores& expected, double tolerance) {
  for (const ScoreField& field : score_fields()) {
    const std::optional<double> value = field.value(expected);
    if (!value) continue;
    EXPECT_NEAR(field.value(found).value(), *value, tolerance * std::max(1.0, std::abs(*value))) << field.name;
  }
}

/// The rows of a problem in another order or several times.
Problem select(const Problem& problem, const std::vector<std::size_t>& rows) {
  const MixtureComponents& from = problem.predictive.components();
  MixtureComponents to{.rows = rows.size(), .outputs = from.outputs, .weights = from.weights};
  Matrix targets(rows.size(), from.outputs);
  const std::size_t per_row = from.weights.size() * from.outputs;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = rows[i] * per_row; j < (rows[i] + 1) * per_row; ++j) {
      to.mean.push_back(from.mean[j]);
      to.aleatoric_variance.push_back(from.aleatoric_variance[j]);
      to.epistemic_variance.push_back(from.epistemic_variance[j]);
    }
    std::ranges::copy(problem.targets.row(rows[i]), targets.row(i).begin());
  }
  return {Predictive(to), targets};
}

std::function<void()> scoring(const Problem& problem, const ScoreOptions& options) {
  return [problem, options] { score(problem.predictive, problem.targets, options); };
}

TEST(Score, AgreesWithPlainLoopsForOneOutput) {
  const Problem problem = random_problem({.rows = 21, .outputs = 1});
  const std::vector<std::size_t> once(21, 1);
  for (const IntervalKind interval : all_intervals) {
    for (const double level : {0.5, 0.95}) {
      const ScoreOptions options{.level = level, .interval = interval};
      const Scores scores = score(problem.predictive, problem.targets, options);
      expect_close(scores, plain_scores(problem.predictive, problem.targets, 0, once, options), 1e-6);
      EXPECT_NEAR(scores.nll_gaussian, plain_gaussian_nll(problem.predictive, problem.targets, once), 1e-12);
      EXPECT_TRUE(scores.per_output.empty());
    }
  }
}

TEST(Score, IsTheMeanOverOutputsWithDensitiesThatAreJoint) {
  const Problem problem = random_problem({.rows = 12, .outputs = 3});
  const std::vector<std::size_t> once(12, 1);
  const Scores scores = score(problem.predictive, problem.targets);
  ASSERT_EQ(scores.per_output.size(), 3U);
  Scores mean;
  for (std::size_t k = 0; k < 3; ++k) {
    const Scores plain = plain_scores(problem.predictive, problem.targets, k, once, {});
    expect_close(scores.per_output[k], plain, 1e-6);
    for (const ScoreField& field : score_fields()) {
      if (const auto value = field.value(plain)) field.set(mean, *field.value(mean) + *value / 3);
    }
  }
  const std::vector<double> log_density = problem.predictive.log_density(problem.targets);
  mean.nll = -std::accumulate(log_density.begin(), log_density.end(), 0.0) / 12;
  mean.nll_gaussian = plain_gaussian_nll(problem.predictive, problem.targets, once);
  expect_close(scores, mean, 1e-6);
  EXPECT_NEAR(scores.nll_gaussian, mean.nll_gaussian, 1e-12);
}

TEST(Score, CountsARowOfWeightTwoTwice) {
  const std::vector<std::size_t> copies = {1, 2, 1, 3, 0, 1, 2, 1, 2};
  const Problem problem = random_problem({.rows = 9, .outputs = 2});
  const std::vector<double> weights(copies.begin(), copies.end());
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < copies.size(); ++i) rows.insert(rows.end(), copies[i], i);
  const Problem repeated = select(problem, rows);
  for (const IntervalKind interval : all_intervals) {
    const ScoreOptions options{.interval = interval, .weights = weights, .truth = problem.targets};
    const Scores weighted = score(problem.predictive, problem.targets, options);
    const Scores twice =
        score(repeated.predictive, repeated.targets, {.interval = interval, .truth = repeated.targets});
    expect_close(weighted, twice, 1e-12);
    for (std::size_t k = 0; k < 2; ++k) {
      expect_close(weighted.per_output[k], twice.per_output[k], 1e-12);
      expect_close(weighted.per_output[k], plain_scores(problem.predictive, problem.targets, k, copies, options), 1e-6);
    }
  }
}

TEST(Score, DoesNotDependOnTheScaleOfTheWeights) {
  const Problem problem = random_problem({.rows = 5, .outputs = 1});
  const std::vector<double> weights = {1, 2, 3, 4, 5};
  std::vector<double> huge = weights;
  for (double& weight : huge) weight *= 0x1p1000;
  expect_close(score(problem.predictive, problem.targets, {.weights = huge}),
               score(problem.predictive, problem.targets, {.weights = weights}), 1e-14);
}

TEST(Score, DoesNotDependOnTheOrderOfTheRows) {
  const Problem problem = random_problem({.rows = 50, .outputs = 2});
  std::vector<std::size_t> order(50);
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  std::swap(order[3], order[40]);
  const Problem permuted = select(problem, order);
  expect_close(score(permuted.predictive, permuted.targets), score(problem.predictive, problem.targets), 1e-12);
}

TEST(Score, ShiftsTheDensityAndScalesTheRestWithTheUnits) {
  const Problem problem = random_problem({.rows = 7, .outputs = 1});
  MixtureComponents components = problem.predictive.components();
  Matrix targets = problem.targets;
  for (double& value : components.mean) value *= 8;
  for (double& value : components.aleatoric_variance) value *= 64;
  for (double& value : components.epistemic_variance) value *= 64;
  for (double& value : targets.values()) value *= 8;
  const Scores before = score(problem.predictive, problem.targets);
  const Scores after = score(Predictive(components), targets);
  EXPECT_EQ(after.rmse, 8 * before.rmse);
  EXPECT_EQ(after.sharpness, 8 * before.sharpness);
  EXPECT_EQ(after.interval_width, 8 * before.interval_width);
  EXPECT_EQ(after.epistemic_aleatoric_ratio, before.epistemic_aleatoric_ratio);
  EXPECT_EQ(after.total_coverage, before.total_coverage);
  EXPECT_NEAR(after.nll, before.nll + std::log(8), 1e-13);
  EXPECT_NEAR(after.crps, 8 * before.crps, 1e-13);
}

TEST(Score, DividesByTheTrainingStdWhereThatIsGiven) {
  const Problem problem = random_problem({.rows = 7, .outputs = 2});
  EXPECT_EQ(score(problem.predictive, problem.targets).rmse_standardised, std::nullopt);
  const std::vector<double> target_std = {2, 4};
  const Scores scores = score(problem.predictive, problem.targets, {.target_std = target_std});
  EXPECT_EQ(*scores.per_output[1].rmse_standardised, scores.per_output[1].rmse / 4);
  EXPECT_EQ(*scores.rmse_standardised, (scores.per_output[0].rmse / 2 + scores.per_output[1].rmse / 4) / 2);
}

TEST(Score, ComparesTheTruthWithTheRegressionFunction) {
  const Problem problem = random_problem({.rows = 4, .outputs = 1});
  const Scores without = score(problem.predictive, problem.targets);
  EXPECT_EQ(without.function_coverage, std::nullopt);
  EXPECT_EQ(without.function_rmse, std::nullopt);
  Matrix truth = problem.predictive.mean();
  const Interval interval = problem.predictive.function_interval(0.95);
  truth(0, 0) = interval.upper(0, 0);
  truth(1, 0) = std::nextafter(interval.lower(1, 0), -infinity);
  const Scores scores = score(problem.predictive, problem.targets, {.truth = truth});
  EXPECT_EQ(*scores.function_coverage, 0.75);
  const double first = truth(0, 0) - problem.predictive.mean()(0, 0);
  const double second = truth(1, 0) - problem.predictive.mean()(1, 0);
  EXPECT_NEAR(*scores.function_rmse, std::sqrt((first * first + second * second) / 4), 1e-14);
  EXPECT_EQ(scores.rmse, without.rmse);
}

TEST(Score, OfOnePointHasIntervalsWithoutWidth) {
  const Problem problem = random_problem({.rows = 3, .outputs = 1, .weights = {1.0}});
  const Predictive point = problem.predictive.classical();
  Matrix targets = problem.targets;
  targets(1, 0) = point.mean()(1, 0);
  for (const IntervalKind interval : all_intervals) {
    const Scores scores = score(point, targets, {.interval = interval, .truth = point.mean()});
    EXPECT_DOUBLE_EQ(scores.epistemic_coverage, 1.0 / 3);
    EXPECT_EQ(*scores.function_coverage, 1);
    EXPECT_EQ(*scores.function_rmse, 0);
    EXPECT_EQ(scores.epistemic_aleatoric_ratio, 0);
    EXPECT_EQ(scores.epistemic_aleatoric_ratio_median, 0);
    EXPECT_NEAR(scores.nll, scores.nll_gaussian, 1e-13);
  }
}

TEST(Score, GivesTheCrpsOfANormalInClosedForm) {
  const Predictive normal(MixtureComponents{.rows = 1,
                                            .outputs = 1,
                                            .weights = {1.0},
                                            .mean = {0.0},
                                            .aleatoric_variance = {0.75},
                                            .epistemic_variance = {0.25}});
  // 2 phi(0) - 1 / sqrt(pi) for the standard normal at its mean.
  EXPECT_NEAR(score(normal, Matrix(1, 1)).crps, 2 / std::sqrt(2 * std::numbers::pi) - 1 / std::sqrt(std::numbers::pi),
              1e-15);
}

TEST(Score, OfACalibratedForecastHasASmallCalibrationError) {
  const std::size_t rows = 9'999;
  MixtureComponents components{.rows = rows, .outputs = 1, .weights = {1.0}};
  components.mean.assign(rows, 0.0);
  components.aleatoric_variance.assign(rows, 1.0);
  components.epistemic_variance.assign(rows, 0.0);
  const Predictive predictive(components);
  Matrix targets(rows, 1);
  for (std::size_t i = 0; i < rows; ++i) {
    const Predictive one(MixtureComponents{
        .rows = 1, .outputs = 1, .weights = {1.0}, .mean = {0}, .aleatoric_variance = {1}, .epistemic_variance = {0}});
    targets(i, 0) = one.quantile(static_cast<double>(i + 1) / static_cast<double>(rows + 1))(0, 0);
  }
  EXPECT_LT(score(predictive, targets).calibration_error, 1e-4);
  EXPECT_NEAR(score(predictive, Matrix(rows, 1, 100.0)).calibration_error, 0.5, 1e-12);
  EXPECT_NEAR(score(predictive, Matrix(rows, 1, -100.0)).calibration_error, 0.5, 1e-12);
}

TEST(Score, OfAnObservationFarOutIsInfiniteAndNothingWorse) {
  const Problem problem = random_problem({.rows = 3, .outputs = 2});
  Matrix targets = problem.targets;
  targets(1, 0) = 1e300;
  const Scores scores = score(problem.predictive, targets);
  EXPECT_EQ(scores.nll, infinity);
  EXPECT_EQ(scores.nll_gaussian, infinity);
  EXPECT_EQ(scores.rmse, infinity);
  EXPECT_TRUE(std::isfinite(scores.mae));
  EXPECT_TRUE(std::isfinite(scores.crps));
  EXPECT_TRUE(std::isfinite(scores.interval_score));
  const std::vector<double> without = {1, 0, 1};
  EXPECT_TRUE(std::isfinite(score(problem.predictive, targets, {.weights = without}).nll));
}

TEST(Score, RefusesWhatItCannotScore) {
  const Problem problem = random_problem({.rows = 3, .outputs = 2});
  const auto with_targets = [&](Matrix targets) { return scoring({problem.predictive, std::move(targets)}, {}); };
  Matrix spoiled = problem.targets;
  spoiled(2, 1) = nan;
  EXPECT_THAT(with_targets(spoiled), test::Fails(ErrorCode::data, "targets: row 2, column 1 is nan"));
  EXPECT_THAT(with_targets(Matrix(3, 1)), test::Fails(ErrorCode::data, "targets is 3 x 1, expected 3 x 2"));
  EXPECT_THAT(scoring(problem, {.truth = spoiled}), test::Fails(ErrorCode::data, "truth: row 2, column 1 is nan"));
  EXPECT_THAT(scoring(problem, {.truth = Matrix(2, 2)}), test::Fails(ErrorCode::data, "truth is 2 x 2"));
  const std::vector<double> negative = {1, -1, 1};
  EXPECT_THAT(scoring(problem, {.weights = negative}), test::Fails(ErrorCode::data, "weights: value 1 is -1"));
  const std::vector<double> zero = {0, 0, 0};
  EXPECT_THAT(scoring(problem, {.weights = zero}), test::Fails(ErrorCode::data, "weights has the sum 0"));
  const std::vector<double> two = {1, 1};
  EXPECT_THAT(scoring(problem, {.weights = two}), test::Fails(ErrorCode::data, "weights has 2 values, expected 3"));
  EXPECT_THAT(scoring(problem, {.target_std = zero}), test::Fails(ErrorCode::data, "target_std is 1 x 3"));
  EXPECT_THAT(scoring(problem, {.target_std = std::span(zero).first(2)}),
              test::Fails(ErrorCode::data, "target_std: row 0"));
  EXPECT_THAT(scoring(problem, {.level = 1}), test::Fails(ErrorCode::usage, "level"));
  const Predictive none(MixtureComponents{.rows = 0, .outputs = 2, .weights = {1.0}});
  EXPECT_THAT(scoring({none, Matrix(0, 2)}, {}), test::Fails(ErrorCode::data, "no rows to score"));
}

TEST(Score, SaysWhenMembersDifferBeyondDoublePrecision) {
  const Predictive predictive(MixtureComponents{.rows = 1,
                                                .outputs = 2,
                                                .weights = {0.5, 0.5},
                                                .mean = {1e20, 1e20, -1e20, -1e20},
                                                .aleatoric_variance = {1, 1, 1, 1},
                                                .epistemic_variance = {0, 0, 0, 0}});
  EXPECT_THAT(scoring({predictive, Matrix(1, 2)}, {}), test::Fails(ErrorCode::numerical, "row 0"));
}

}  // namespace
}  // namespace credens::scoring
