// SPDX-License-Identifier: Apache-2.0

#include "study/measure.hpp"

#include <credens/error.hpp>
#include <credens/problems.hpp>
#include <credens/widen.hpp>

#include <algorithm>

#include <gtest/gtest.h>

#include "study/figure1.hpp"

namespace credens::study {
namespace {

struct SmallFit {
  explicit SmallFit(std::size_t members)
      : problem(figure2_problem(60, 4)),
        wide(widen(fit(problem.data, simulated_settings(members, 0.01, 4)), problem.data)),
        predictive(wide.predict(problem.data.inputs())) {}

  SimulatedData problem;
  Ensemble wide;
  Predictive predictive;
};

const SmallFit& four_members() {
  static const SmallFit fit(4);
  return fit;
}

double value_of(const std::vector<Measurement>& measurements, const std::string& method, const std::string& metric) {
  const auto found = std::ranges::find_if(measurements, [&](const Measurement& measurement) {
    return measurement.key.method == method && measurement.key.metric == metric;
  });
  EXPECT_NE(found, measurements.end()) << method << " " << metric;
  return found == measurements.end() ? 0 : found->value;
}

TEST(FirstMembers, AreTheEnsembleThatAFitOfSoManyGives) {
  const SmallFit two(2);
  const MixtureComponents first = first_members(four_members().predictive, 2).components();
  EXPECT_EQ(first.weights, two.predictive.components().weights);
  EXPECT_EQ(first.mean, two.predictive.components().mean);
  EXPECT_EQ(first.aleatoric_variance, two.predictive.components().aleatoric_variance);
  EXPECT_EQ(first.epistemic_variance, two.predictive.components().epistemic_variance);
}

TEST(FirstMembers, OfAllAreAll) {
  const MixtureComponents all = first_members(four_members().predictive, 4).components();
  EXPECT_EQ(all.mean, four_members().predictive.components().mean);
}

TEST(FirstMembers, RefusesMoreThanThereAre) {
  EXPECT_THROW(first_members(four_members().predictive, 5), Error);
  EXPECT_THROW(first_members(four_members().predictive, 0), Error);
}

TEST(Measure, IsWhatScoresSayOfBothMethods) {
  const SmallFit& fit = four_members();
  const ScoreOptions options{.truth = fit.problem.truth};
  const Scores classical = score(fit.predictive.classical(), fit.problem.data.targets(), options);
  const Scores extended = score(fit.predictive, fit.problem.data.targets(), options);
  const auto all = measure({.series = "rows", .data = "d", .rows = 60}, fit.predictive,
                           {.targets = fit.problem.data.targets(), .truth = fit.problem.truth});
  EXPECT_EQ(all.front().key.members, 4);
  EXPECT_EQ(all.front().key.rows, 60);
  EXPECT_EQ(value_of(all, "classical", "function_coverage"), classical.function_coverage.value());
  EXPECT_EQ(value_of(all, "extended", "function_coverage"), extended.function_coverage.value());
  EXPECT_EQ(value_of(all, "extended", "rmse"), extended.function_rmse.value());
  EXPECT_EQ(value_of(all, "extended", "total_coverage"), extended.total_coverage);
  EXPECT_EQ(value_of(all, "classical", "epistemic_coverage"), classical.epistemic_coverage);
  EXPECT_EQ(value_of(all, "extended", "epistemic_aleatoric_ratio"), extended.epistemic_aleatoric_ratio);
  EXPECT_EQ(value_of(all, "extended", "epistemic_aleatoric_ratio_median"), extended.epistemic_aleatoric_ratio_median);
}

TEST(Measure, ErrorsWithoutTruthAreInStandardDeviationsOfTheTargets) {
  const SmallFit& fit = four_members();
  const MatrixView targets = fit.problem.data.targets();
  const auto all = measure({}, fit.predictive, {.targets = targets, .target_std = {2.0}});
  EXPECT_DOUBLE_EQ(value_of(all, "extended", "rmse"), score(fit.predictive, targets).rmse / 2);
}

TEST(MeasureWidths, TheRatioOnTrainingRowsIsFeaturesPerRow) {
  const SmallFit& fit = four_members();
  const auto widths = measure_widths({.rows = 60}, fit.wide, fit.problem.data, 1);
  // mean over members of p/N (1 - gamma lambda), with p = 32 and lambda = 1
  double expected = 0;
  for (const double gamma : fit.wide.gamma()) expected += 32.0 / 60 * (1 - gamma) / 4;
  EXPECT_NEAR(value_of(widths, "extended", "width_ratio_training"), expected, 1e-5 * expected);
}

TEST(MeasureWidths, TheLadderRises) {
  const auto widths = measure_widths({}, four_members().wide, four_members().problem.data, 1);
  const double isotropic = value_of(widths, "extended", "elbo_isotropic_per_row");
  EXPECT_DOUBLE_EQ(isotropic, four_members().wide.elbo(PosteriorKind::isotropic).value() / 60);
  EXPECT_GE(value_of(widths, "extended", "elbo_diagonal_per_row"), isotropic);
  EXPECT_GE(value_of(widths, "extended", "elbo_full_per_row"), value_of(widths, "extended", "elbo_diagonal_per_row"));
}

}  // namespace
}  // namespace credens::study
