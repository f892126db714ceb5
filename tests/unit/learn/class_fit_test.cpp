// SPDX-License-Identifier: Apache-2.0

#include <credens/fit.hpp>
#include <credens/widen.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "learn/class_calibration.hpp"
#include "learn/fit.hpp"
#include "model/ensemble_state.hpp"

namespace credens::learn {
namespace {

/// Two arcs of points with noise, class 1 where the second arc is: the labels are a and b.
Dataset two_moons(std::size_t rows, double noise, std::uint64_t seed) {
  base::RandomStream random({.seed = seed, .purpose = base::Purpose::test});
  Matrix inputs(rows, 2);
  Matrix labels(rows, 1);
  for (std::size_t i = 0; i < rows; ++i) {
    const double angle = random.uniform(0, 3.14159);
    const bool second = i % 2 == 1;
    inputs(i, 0) = (second ? 1 - std::cos(angle) : std::cos(angle)) + noise * random.normal();
    inputs(i, 1) = (second ? 0.5 - std::sin(angle) : std::sin(angle)) + noise * random.normal();
    labels(i, 0) = second ? 0 : 1;
  }
  return Dataset({.inputs = std::move(inputs), .targets = std::move(labels), .target_levels = {"b", "a"}});
}

FitOptions small_options() {
  return {.effort = Effort::quick, .members = 15, .hidden = {{16, 8}}, .epochs = 40, .seed = 3, .threads = 2};
}

double log_loss(const ClassPredictive& predictive, const Dataset& rows, const std::vector<std::string>& classes) {
  double sum = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const std::string& label = rows.schema().targets.front().levels[static_cast<std::size_t>(rows.targets()(i, 0))];
    const auto c = static_cast<std::size_t>(std::ranges::find(classes, label) - classes.begin());
    sum -= std::log(predictive.probability(i, c)) / static_cast<double>(rows.rows());
  }
  return sum;
}

TEST(ClassFit, LearnsTwoMoonsAndKnowsHowWell) {
  const Ensemble model = fit(two_moons(300, 0.15, 1), small_options());
  EXPECT_EQ(model.task(), Task::classification);
  EXPECT_EQ(model.classes(), (std::vector<std::string>{"a", "b"}));
  const Dataset test = two_moons(1000, 0.15, 2);
  const double found = log_loss(model.predict_classes(model.inputs_of(test)), test, model.classes());
  EXPECT_LT(found, 0.15);
  ASSERT_TRUE(model.expected_classes().has_value());
  const Estimate expected = model.expected_classes()->log_loss;
  EXPECT_NEAR(found, expected.value, 4 * expected.standard_error + 0.02);
  EXPECT_GT(model.expected_classes()->accuracy.value, 0.95);
}

TEST(ClassFit, IsLessSureFarAwayThanItsClassicalEnsemble) {
  const Ensemble model = fit(two_moons(60, 0.2, 1), small_options());
  Matrix far(32, 2);
  for (std::size_t i = 0; i < 32; ++i) {
    far(i, 0) = 200 * std::cos(0.2 * static_cast<double>(i));
    far(i, 1) = 200 * std::sin(0.2 * static_cast<double>(i));
  }
  const ClassPredictive extended = model.predict_classes(far);
  const ClassPredictive classical = model.predict_classes(far, {.classical = true});
  double gain = 0;
  for (std::size_t i = 0; i < 32; ++i) gain += (extended.epistemic[i] - classical.epistemic[i]) / 32;
  EXPECT_GT(gain, 0.01);
}

TEST(ClassFit, IsTheSameForAnyNumberOfThreads) {
  const Dataset train = two_moons(120, 0.2, 4);
  const Dataset test = two_moons(50, 0.2, 5);
  FitOptions options = small_options();
  const ClassPredictive one = fit(train, options).predict_classes(test.inputs());
  for (const int threads : {1, 3}) {
    options.threads = threads;
    EXPECT_EQ(fit(train, options).predict_classes(test.inputs()), one);
  }
}

TEST(ClassFit, IsWhatWideningItsMembersGives) {
  const Dataset train = two_moons(120, 0.2, 4);
  const Ensemble wide = fit(train, small_options());
  const Ensemble again = widen(fit_members(train, small_options()), train);
  EXPECT_EQ(again.posterior(), wide.posterior());
  EXPECT_EQ(again.predict_classes(train.inputs()), wide.predict_classes(train.inputs()));
  EXPECT_EQ(again.elbo(again.posterior()), wide.elbo(wide.posterior()));
}

TEST(ClassFit, PrefersTheRungsOfTheLadderInTheirOrder) {
  const Dataset train = two_moons(120, 0.2, 4);
  const Ensemble wide = widen(fit_members(train, small_options()), train, {.posterior = PosteriorKind::full});
  EXPECT_LE(*wide.elbo(PosteriorKind::isotropic), *wide.elbo(PosteriorKind::diagonal));
  EXPECT_LE(*wide.elbo(PosteriorKind::diagonal), *wide.elbo(PosteriorKind::full));
}

TEST(ClassFit, SeesEveryClassOfTwoRowsInEveryMember) {
  base::RandomStream random({.seed = 9, .purpose = base::Purpose::test});
  std::vector<double> labels(60, 0);
  labels[7] = labels[50] = 1;
  for (std::size_t i = 20; i < 40; ++i) labels[i] = 2;
  Matrix inputs(60, 1);
  for (double& value : inputs.values()) value = random.normal();
  const Dataset data({.inputs = inputs, .targets = Matrix(60, 1, labels), .task = Task::classification});
  const TrainingTable table(data);
  const FoldUnits& units = table.fold_units();
  ASSERT_EQ(units.strata.size(), 60U);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    base::RandomStream folds({.seed = seed, .purpose = base::Purpose::folds});
    const std::vector<std::uint32_t> fold = fold_of_units(units, 5, folds);
    EXPECT_NE(fold[7], fold[50]);
    std::vector<int> of_third(5);
    for (std::size_t i = 20; i < 40; ++i) ++of_third[fold[i]];
    for (const int count : of_third) EXPECT_EQ(count, 4);
  }
}

TEST(ClassFit, TakesCountsAsRowsOfTheirNumber) {
  // One row of counts (3, 1) says what four rows of labels say.
  Matrix inputs(40, 1);
  Matrix counts(40, 2);
  Matrix rows(160, 1);
  std::vector<double> labels;
  for (std::size_t i = 0; i < 40; ++i) {
    inputs(i, 0) = static_cast<double>(i) / 10;
    counts(i, 0) = i % 3 == 0 ? 3 : 1;
    counts(i, 1) = 4 - counts(i, 0);
    for (std::size_t j = 0; j < 4; ++j) {
      rows(4 * i + j, 0) = inputs(i, 0);
      labels.push_back(static_cast<double>(j) < counts(i, 0) ? 0 : 1);
    }
  }
  const FitOptions options{
      .recipe = Recipe::paper, .members = 1, .hidden = {{}}, .epochs = 400, .batch = 1000, .prior_precision = 0.1};
  const Ensemble of_counts = fit(Dataset({.inputs = inputs, .targets = counts, .task = Task::classification}), options);
  const Ensemble of_rows =
      fit(Dataset({.inputs = rows, .targets = Matrix(160, 1, labels), .task = Task::classification}), options);
  const ClassPredictive one = of_counts.predict_classes(inputs);
  const ClassPredictive other = of_rows.predict_classes(inputs);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR(one.probability(i, 0), other.probability(i, 0), 1e-3);
  EXPECT_NEAR(of_counts.gamma()[0], of_rows.gamma()[0], 1e-9);
}

TEST(ClassFit, RefusesNoise) {
  FitOptions options = small_options();
  options.noise = NoiseKind::constant;
  EXPECT_THROW(fit(two_moons(40, 0.2, 1), options), Error);
}

/// A label of which `share` are yes, and inputs that know nothing of it.
Dataset unrelated(std::size_t rows, double share, std::uint64_t seed) {
  base::RandomStream random({.seed = seed, .purpose = base::Purpose::test});
  Matrix inputs(rows, 30);
  Matrix labels(rows, 1);
  for (double& value : inputs.values()) value = random.normal();
  for (std::size_t i = 0; i < rows; ++i) labels(i, 0) = static_cast<double>(i) < share * static_cast<double>(rows);
  return Dataset({.inputs = std::move(inputs), .targets = std::move(labels), .target_levels = {"no", "yes"}});
}

TEST(ClassFit, SaysTheSharesOfTheClassesWhereInputsTellNothing) {
  constexpr double share = 0.1;
  const double entropy = -share * std::log(share) - (1 - share) * std::log(1 - share);
  FitOptions options;
  options.effort = Effort::quick;
  const Ensemble ensemble = fit(unrelated(300, share, 1), options);
  const Dataset fresh = unrelated(2000, share, 2);
  EXPECT_LT(log_loss(ensemble.predict_classes(fresh.inputs()), fresh, {"no", "yes"}), entropy + 0.02);  // 0.05 with temperatures that lead to equal shares
}

TEST(WithTemperature, DividesWhatLogitsHaveBeyondTheShares) {
  const model::MlpShape shape{.inputs = 2, .hidden = {4}, .outputs = 3, .task = Task::classification};
  model::Mlp network(shape);
  for (std::size_t i = 0; i < network.parameters().size(); ++i) {
    network.parameters()[i] = 0.01F * static_cast<float>(i % 17);
  }
  const std::vector<double> shares = {-0.5, -1.5, -2.5};
  const model::Mlp cooled = with_temperature(network, 2, shares);
  EXPECT_EQ(cooled.weight(1)(2, 3), network.weight(1)(2, 3) / 2);
  EXPECT_FLOAT_EQ(cooled.bias(1)[1], (network.bias(1)[1] - 1.5F) / 2);
  EXPECT_EQ(cooled.weight(0), network.weight(0));
  EXPECT_EQ(with_temperature(network, 1, shares).bias(1), network.bias(1));
}

}  // namespace
}  // namespace credens::learn
