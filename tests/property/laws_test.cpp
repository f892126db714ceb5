// SPDX-License-Identifier: Apache-2.0
//
// Laws of fitting, predicting and scoring that hold whatever the data.

#include <gtest/gtest.h>
#include <credens/score.hpp>

#include "small_fit.hpp"

namespace credens {
namespace {

/// Relative to the largest value: a mean near zero is a sum of terms that are not.
void expect_close(const Matrix& a, const Matrix& b, double relative) {
  ASSERT_EQ(a.values().size(), b.values().size());
  double largest = 0;
  for (const double value : a.values()) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < a.values().size(); ++i) {
    EXPECT_NEAR(a.values()[i], b.values()[i], relative * largest) << "value " << i;
  }
}

Dataset with_targets_times(const Dataset& data, double factor) {
  DatasetParts parts{.inputs = Matrix(data.rows(), data.inputs().cols()),
                     .targets = Matrix(data.rows(), data.targets().cols())};
  std::copy_n(data.inputs().data(), parts.inputs.values().size(), parts.inputs.data());
  for (std::size_t i = 0; i < parts.targets.values().size(); ++i) {
    parts.targets.values()[i] = factor * data.targets().data()[i];
  }
  return Dataset(std::move(parts));
}

TEST(Laws, ScalingTheTargetByAPowerOfTwoScalesEveryStdExactly) {
  const Dataset data = made_up_data(80, 2, 1);
  for (const double factor : {0x1p-20, 8.0, 0x1p30}) {
    const Dataset scaled = with_targets_times(data, factor);
    const Predictive a = fit(data, small_options()).predict(data.inputs());
    const Predictive b = fit(scaled, small_options()).predict(data.inputs());
    for (std::size_t i = 0; i < a.rows(); ++i) {
      for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(std::sqrt(b.total_variance()(i, k)), factor * std::sqrt(a.total_variance()(i, k)));
        EXPECT_EQ(b.epistemic_variance()(i, k), factor * factor * a.epistemic_variance()(i, k));
        EXPECT_EQ(b.aleatoric_variance()(i, k), factor * factor * a.aleatoric_variance()(i, k));
        EXPECT_EQ(b.mean()(i, k), factor * a.mean()(i, k));
      }
    }
  }
}

TEST(Laws, PermutingTheRowsPermutesThePredictions) {
  const Dataset data = made_up_data(70, 1, 2);
  const Ensemble wide = fit(data, small_options());
  const auto order = reversed_rows(data.rows());
  const Predictive forward = wide.predict(data.inputs());
  const Predictive backward = wide.predict(rows_in_order(data.inputs(), order));
  EXPECT_EQ(rows_in_order(forward.mean(), order), backward.mean());
  EXPECT_EQ(rows_in_order(forward.total_variance(), order), backward.total_variance());
  const Scores a = score(forward, data.targets());
  const Scores b = score(backward, rows_in_order(data.targets(), order));
  EXPECT_NEAR(a.nll, b.nll, 1e-12 * std::abs(a.nll));
  EXPECT_NEAR(a.crps, b.crps, 1e-12 * a.crps);
  EXPECT_NEAR(a.interval_score, b.interval_score, 1e-12 * a.interval_score);
  EXPECT_EQ(a.total_coverage, b.total_coverage);
  EXPECT_EQ(a.calibration_error, b.calibration_error);
}

TEST(Laws, PermutingTheMembersChangesNothing) {
  const Dataset data = made_up_data(40, 2, 3);
  MixtureComponents components = fit(data, small_options()).predict(data.inputs()).components();
  components.weights = {0.5, 0.2, 0.3};
  const Predictive p(components);
  const std::size_t members = p.members();
  MixtureComponents turned = components;
  std::ranges::reverse(turned.weights);
  for (std::size_t i = 0; i < p.rows(); ++i) {
    for (std::size_t l = 0; l < members; ++l) {
      for (std::size_t k = 0; k < 2; ++k) {
        const std::size_t to = (i * members + l) * 2 + k;
        const std::size_t from = (i * members + (members - 1 - l)) * 2 + k;
        turned.mean[to] = p.components().mean[from];
        turned.aleatoric_variance[to] = p.components().aleatoric_variance[from];
        turned.epistemic_variance[to] = p.components().epistemic_variance[from];
      }
    }
  }
  const Predictive other(turned);
  expect_close(p.mean(), other.mean(), 1e-12);
  expect_close(p.total_variance(), other.total_variance(), 1e-12);
  expect_close(p.quantile(0.05), other.quantile(0.05), 1e-12);
  EXPECT_NEAR(score(p, data.targets()).nll, score(other, data.targets()).nll, 1e-12);
}

TEST(Laws, OneMemberWorksEverywhere) {
  FitOptions options = small_options();
  options.members = 1;
  const Dataset data = made_up_data(40, 2, 4);
  const Ensemble wide = fit(data, options);
  const Predictive p = wide.predict(data.inputs());
  EXPECT_EQ(p.classical().epistemic_variance(), Matrix(40, 2, 0.0));
  EXPECT_GT(p.epistemic_variance()(0, 0), 0);
  const Interval exact = p.interval(0.95, IntervalKind::mixture);
  const Interval gaussian = p.interval(0.95, IntervalKind::gaussian);
  expect_close(exact.lower, gaussian.lower, 1e-9);
  expect_close(exact.upper, gaussian.upper, 1e-9);
  const Scores scores = score(p, data.targets());
  EXPECT_NEAR(scores.nll, scores.nll_gaussian, 1e-9);
  EXPECT_EQ(score(p.classical(), data.targets()).epistemic_coverage, 0);
  EXPECT_EQ(wide.sample(data.inputs(), {.draws = 3}).values.size(), 3U * 40 * 2);
  EXPECT_EQ(wide.joint_epistemic_covariance(data.inputs()).size(), 2U);
}

TEST(Laws, TheSameSeedGivesTheSameBitsForAnyNumberOfThreads) {
  const Dataset data = made_up_data(60, 1, 5);
  FitOptions options = small_options();
  options.members = 5;
  std::vector<Matrix> results;
  for (const int threads : {1, 2, 4}) {
    options.threads = threads;
    const Ensemble wide =
        widen(fit_members(data, options), data, {.posterior = PosteriorKind::full, .threads = threads});
    results.push_back(wide.predict(data.inputs(), {.threads = threads}).total_variance());
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Laws, ARowOfWeightTwoScoresLikeTheRowTwice) {
  const Dataset data = made_up_data(30, 2, 6);
  const Ensemble wide = fit(data, small_options());
  std::vector<std::size_t> twice(30);
  std::iota(twice.begin(), twice.end(), std::size_t{0});
  twice.push_back(4);
  std::vector<double> weights(30, 1.0);
  weights[4] = 2;
  const Scores a = score(wide.predict(data.inputs()), data.targets(), {.weights = weights});
  const Scores b = score(wide.predict(rows_in_order(data.inputs(), twice)), rows_in_order(data.targets(), twice));
  EXPECT_NEAR(a.nll, b.nll, 1e-12);
  EXPECT_NEAR(a.rmse, b.rmse, 1e-12);
  EXPECT_NEAR(a.crps, b.crps, 1e-12);
  EXPECT_NEAR(a.total_coverage, b.total_coverage, 1e-12);
  EXPECT_NEAR(a.calibration_error, b.calibration_error, 1e-12);
  EXPECT_NEAR(a.epistemic_aleatoric_ratio, b.epistemic_aleatoric_ratio, 1e-12);
  EXPECT_NEAR(a.epistemic_aleatoric_ratio_median, b.epistemic_aleatoric_ratio_median, 1e-12);
  EXPECT_NEAR(a.interval_score, b.interval_score, 1e-12);
}

TEST(Laws, AMemberOfAllTheWeightIsTheWholeEnsemble) {
  const Dataset data = made_up_data(30, 1, 7);
  const Ensemble wide = fit(data, small_options());
  const Predictive one = wide.with_weights({0, 1, 0}).predict(data.inputs());
  const Predictive all = wide.predict(data.inputs());
  for (std::size_t i = 0; i < 30; ++i) EXPECT_DOUBLE_EQ(one.mean()(i, 0), all.components().mean[i * 3 + 1]);
}

}  // namespace
}  // namespace credens
