// SPDX-License-Identifier: Apache-2.0

#include "score/diagnostics.hpp"

#include <credens/score.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "unit/model/random_components.hpp"

namespace credens::scoring {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

constexpr std::size_t rows = 47;

/// Errors, uncertainties and PIT values of some rows, with weights that are numbers of copies.
struct Sample {
  std::vector<double> errors = {};
  std::vector<double> uncertainty = {};
  std::vector<double> pit = {};
  std::vector<double> weights = {};

  void add(const Sample& from, std::size_t row) {
    errors.push_back(from.errors[row]);
    uncertainty.push_back(from.uncertainty[row]);
    pit.push_back(from.pit[row]);
  }
};

Sample random_sample() {
  base::RandomStream random({.seed = 3, .purpose = base::Purpose::test});
  Sample sample;
  for (std::size_t row = 0; row < rows; ++row) {
    sample.errors.push_back(random.normal());
    sample.uncertainty.push_back(std::exp(random.normal()));
    sample.pit.push_back(random.uniform(0, 1));
    sample.weights.push_back(static_cast<double>(row % 4));
  }
  return sample;
}

/// Every row as often as its weight says, without weights.
Sample repeated(const Sample& sample) {
  Sample copies;
  for (std::size_t row = 0; row < rows; ++row) {
    for (int copy = 0; copy < static_cast<int>(sample.weights[row]); ++copy) copies.add(sample, row);
  }
  return copies;
}

/// (uncertainty, error) in order of uncertainty.
std::vector<std::pair<double, double>> sorted_pairs(const Sample& sample) {
  std::vector<std::pair<double, double>> pairs;
  for (std::size_t i = 0; i < sample.errors.size(); ++i) pairs.emplace_back(sample.uncertainty[i], sample.errors[i]);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

void expect_equal(const Curve& found, const Curve& expected) {
  EXPECT_THAT(found.x, Pointwise(DoubleNear(1e-12), expected.x));
  EXPECT_THAT(found.y, Pointwise(DoubleNear(1e-12), expected.y));
}

TEST(CalibrationCurve, IsTheShareOfPitValuesUpToEachLevel) {
  const Sample sample = random_sample();
  const Sample copies = repeated(sample);
  Curve plain;
  for (int percent = 1; percent <= 99; ++percent) {
    const double level = percent / 100.0;
    const auto below = std::count_if(copies.pit.begin(), copies.pit.end(), [&](double pit) { return pit <= level; });
    plain.x.push_back(level);
    plain.y.push_back(static_cast<double>(below) / static_cast<double>(copies.pit.size()));
  }
  expect_equal(calibration_curve(sample.pit, sample.weights), plain);
  expect_equal(calibration_curve(copies.pit, {}), plain);
}

TEST(CalibrationCurve, DeviatesByTheCalibrationErrorOfTheScores) {
  const Predictive predictive(model::random_components({.rows = rows, .outputs = 1}));
  const Matrix targets(rows, 1, 3.0);
  OutputDiagnostics output;
  diagnose(predictive, targets, {.level = 0.9}, {&output, 1});
  const Curve curve = calibration_curve(output.pit, {});
  double error = 0;
  for (std::size_t i = 0; i < curve.x.size(); ++i) error += std::abs(curve.y[i] - curve.x[i]) / 99;
  EXPECT_NEAR(error, score(predictive, targets).calibration_error, 1e-12);
}

TEST(Histogram, CountsWhatLiesInEachPart) {
  EXPECT_THAT(histogram(std::vector{0.0, 0.1, 0.25, 0.5, 0.99, 1.0}, {}, 4),
              ElementsAre(2.0 / 6, 1.0 / 6, 1.0 / 6, 2.0 / 6));
  EXPECT_THAT(histogram(std::vector{0.1, 0.6}, std::vector{3.0, 1.0}, 2), ElementsAre(0.75, 0.25));
}

/// Every share taken away is a whole number of rows here, so that no row counts in part.
TEST(Sparsification, IsTheErrorOfTheRowsThatAreLeft) {
  const Sample sample = random_sample();
  const Sample copies = repeated(sample);
  const auto pairs = sorted_pairs(copies);
  const std::size_t steps = pairs.size();
  Curve plain;
  for (std::size_t removed = 0; removed < steps; ++removed) {
    double sum = 0;
    for (std::size_t i = 0; i < pairs.size() - removed; ++i) sum += pairs[i].second * pairs[i].second;
    plain.x.push_back(static_cast<double>(removed) / static_cast<double>(steps));
    plain.y.push_back(std::sqrt(sum / static_cast<double>(pairs.size() - removed)));
  }
  expect_equal(sparsification(copies.errors, copies.uncertainty, {}, steps), plain);
  expect_equal(sparsification(sample.errors, sample.uncertainty, sample.weights, steps), plain);
}

TEST(Sparsification, CountsTheRowOnTheEdgeInPart) {
  const std::vector errors = {1.0, 2.0, 4.0};
  const std::vector uncertainty = {0.1, 0.2, 0.3};
  const Curve curve = sparsification(errors, uncertainty, {}, 2);
  EXPECT_THAT(curve.x, ElementsAre(0, 0.5));
  EXPECT_NEAR(curve.y[0], std::sqrt((1.0 + 4 + 16) / 3), 1e-15);
  EXPECT_NEAR(curve.y[1], std::sqrt((1.0 + 0.5 * 4) / 1.5), 1e-15);
}

TEST(Sparsification, FallsWhereTheErrorItselfIsTheUncertainty) {
  const Sample sample = random_sample();
  std::vector<double> sizes = sample.errors;
  for (double& size : sizes) size = std::abs(size);
  const Curve curve = sparsification(sample.errors, sizes, sample.weights, 50);
  EXPECT_TRUE(std::is_sorted(curve.y.rbegin(), curve.y.rend()));
}

TEST(ErrorByUncertainty, ComparesRootMeanSquaresOfGroupsOfRows) {
  const Sample copies = repeated(random_sample());
  const auto pairs = sorted_pairs(copies);
  const std::size_t groups = 5;
  Curve plain;
  for (std::size_t group = 0; group < groups; ++group) {
    double variance = 0;
    double square = 0;
    double count = 0;
    for (std::size_t i = group * pairs.size() / groups; i < (group + 1) * pairs.size() / groups; ++i, ++count) {
      variance += pairs[i].first * pairs[i].first;
      square += pairs[i].second * pairs[i].second;
    }
    plain.x.push_back(std::sqrt(variance / count));
    plain.y.push_back(std::sqrt(square / count));
  }
  expect_equal(error_by_uncertainty(copies.errors, copies.uncertainty, {}, groups), plain);
}

TEST(ErrorByUncertainty, WeighsRowsAndLeavesGroupsWithoutWeightOut) {
  const std::vector errors = {1.0, 3.0, 5.0};
  const std::vector uncertainty = {1.0, 2.0, 4.0};
  const Curve curve = error_by_uncertainty(errors, uncertainty, std::vector{0.0, 3.0, 1.0}, 3);
  EXPECT_THAT(curve.x, ElementsAre(2, 4));
  EXPECT_THAT(curve.y, ElementsAre(3, 5));
  const Curve whole = error_by_uncertainty(errors, uncertainty, std::vector{0.0, 3.0, 1.0}, 1);
  EXPECT_NEAR(whole.y[0], std::sqrt((3 * 9.0 + 25) / 4), 1e-15);
}

TEST(Ranks, KeepTheOrderOfTheFileAmongEquals) {
  const std::vector values = {2.0, 7.0, 2.0, 9.0, 7.0};
  EXPECT_THAT(ascending(values), ElementsAre(0, 2, 1, 4, 3));
  EXPECT_THAT(largest(values, 3), ElementsAre(3, 1, 4));
  EXPECT_THAT(largest(values, 9), ElementsAre(3, 1, 4, 0, 2));
}

TEST(EvenlySpaced, TakesAllRowsOrSome) {
  EXPECT_THAT(evenly_spaced(3, 5), ElementsAre(0, 1, 2));
  EXPECT_THAT(evenly_spaced(10, 4), ElementsAre(0, 2, 5, 7));
  EXPECT_TRUE(evenly_spaced(0, 4).empty());
}

/// A column of a matrix.
std::vector<double> column(const Matrix& matrix, std::size_t output) {
  std::vector<double> values;
  for (std::size_t row = 0; row < matrix.rows(); ++row) values.push_back(matrix(row, output));
  return values;
}

TEST(OutputDiagnostics, SayWhatThePredictiveSaysOfOneOutput) {
  const Predictive predictive(model::random_components({.rows = 9, .outputs = 3}));
  Matrix targets(9, 3);
  for (std::size_t i = 0; i < targets.values().size(); ++i) targets.values()[i] = 2 + 0.1 * static_cast<double>(i);
  for (const IntervalKind kind : {IntervalKind::gaussian, IntervalKind::mixture}) {
    std::vector<OutputDiagnostics> outputs(3);
    diagnose(predictive, targets, {.level = 0.8, .kind = kind}, outputs);
    for (std::size_t k = 0; k < 3; ++k) {
      const OutputDiagnostics& found = outputs[k];
      EXPECT_EQ(found.count(), 9);
      EXPECT_EQ(found.observed, column(targets, k));
      EXPECT_EQ(found.mean, column(predictive.mean(), k));
      EXPECT_EQ(found.lower, column(predictive.interval(0.8, kind).lower, k));
      EXPECT_EQ(found.upper, column(predictive.interval(0.8, kind).upper, k));
      EXPECT_EQ(found.function_lower, column(predictive.function_interval(0.8, kind).lower, k));
      EXPECT_EQ(found.function_upper, column(predictive.function_interval(0.8, kind).upper, k));
      EXPECT_EQ(found.pit, column(predictive.cdf(targets), k));
      EXPECT_EQ(found.classical_pit, column(predictive.classical().cdf(targets), k));
      for (std::size_t row = 0; row < 9; ++row) {
        EXPECT_DOUBLE_EQ(found.aleatoric_std[row], std::sqrt(predictive.aleatoric_variance()(row, k)));
        EXPECT_DOUBLE_EQ(found.epistemic_std[row], std::sqrt(predictive.epistemic_variance()(row, k)));
        EXPECT_DOUBLE_EQ(found.total_std[row], std::sqrt(predictive.total_variance()(row, k)));
      }
    }
  }
}

}  // namespace
}  // namespace credens::scoring
