// SPDX-License-Identifier: Apache-2.0

#include <credens/guarantee.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "math/normal.hpp"
#include "support/error_matchers.hpp"
#include "unit/store/example_ensembles.hpp"

namespace credens {
namespace {

using test::Fails;
using testing::DoubleNear;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Ensemble model_of(std::size_t outputs) {
  model::EnsembleState state = store::example_state({.outputs = outputs, .members = {0}, .total_members = 1});
  state.target_scaler = data::identity_scaler(outputs);
  return store::make_ensemble(std::move(state));
}

/// N(0, 1 + ignorance^2) for each row and output.
Predictive normal_rows(std::size_t outputs, const std::vector<double>& ignorance) {
  MixtureComponents components{.rows = ignorance.size(), .outputs = outputs, .weights = {1}};
  for (const double std : ignorance) {
    for (std::size_t k = 0; k < outputs; ++k) {
      components.mean.push_back(0);
      components.aleatoric_variance.push_back(1);
      components.epistemic_variance.push_back(std * std);
    }
  }
  return Predictive(std::move(components));
}

Predictive standard_normal(std::size_t rows, std::size_t outputs = 1) {
  return normal_rows(outputs, std::vector<double>(rows));
}

Ensemble calibrated(const Matrix& targets, const CalibrateOptions& options = {}) {
  Calibration calibration(model_of(targets.cols()), options);
  calibration.add({}, standard_normal(targets.rows(), targets.cols()), targets);
  return calibration.finish();
}

Matrix column(std::vector<double> values) {
  const std::size_t rows = values.size();
  return {rows, 1, std::move(values)};
}

std::vector<double> shuffled_steps(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = 0.01 * static_cast<double>(i + 1);
  std::ranges::shuffle(values, std::mt19937(3));
  return values;
}

// Where the model predicts the same of all rows, the ends are the observations themselves.
TEST(GuaranteedInterval, EndsAtOrderStatistics) {
  const Interval few = guaranteed_interval(calibrated(column(shuffled_steps(39))), standard_normal(1), 0.95);
  EXPECT_NEAR(few.lower(0, 0), 0.01, 1e-14);
  EXPECT_NEAR(few.upper(0, 0), 0.39, 1e-14);
  const Interval many = guaranteed_interval(calibrated(column(shuffled_steps(199))), standard_normal(1), 0.9);
  EXPECT_NEAR(many.lower(0, 0), 0.10, 1e-14);
  EXPECT_NEAR(many.upper(0, 0), 1.90, 1e-14);
}

TEST(GuaranteedInterval, KeepsWhatTheModelSaysOfARow) {
  const Ensemble model = calibrated(column(shuffled_steps(39)));
  const Predictive wide({.rows = 1,
                         .outputs = 1,
                         .weights = {1},
                         .mean = {5},
                         .aleatoric_variance = {4},
                         .epistemic_variance = {0}});
  const Interval interval = guaranteed_interval(model, wide, 0.95);
  EXPECT_NEAR(interval.lower(0, 0), 5 + 2 * 0.01, 1e-13);
  EXPECT_NEAR(interval.upper(0, 0), 5 + 2 * 0.39, 1e-13);
}

TEST(GuaranteedInterval, ReachesFarIntoBothTails) {
  std::vector<double> far = shuffled_steps(39);
  std::ranges::sort(far);
  far.front() = -30;
  far.back() = 36;
  const Interval interval = guaranteed_interval(calibrated(column(far)), standard_normal(1), 0.95);
  EXPECT_NEAR(interval.lower(0, 0), -30, 1e-10);
  EXPECT_NEAR(interval.upper(0, 0), 36, 1e-10);
}

/// Largest distance between the empirical distribution function and that of Beta(a, b), by its quantiles.
double kolmogorov_distance(std::vector<double> coverages, const CoverageLaw& law) {
  std::ranges::sort(coverages);
  const auto count = static_cast<double>(coverages.size());
  double largest = 0;
  for (int step = 1; step < 200; ++step) {
    const double p = step / 200.0;
    const auto below = std::ranges::lower_bound(coverages, law.quantile(p)) - coverages.begin();
    largest = std::max(largest, std::abs(static_cast<double>(below) / count - p));
  }
  return largest;
}

// Observations are exponential, which the model does not know; the share of new rows inside is known in closed form.
TEST(GuaranteedInterval, RealisesItsLawWhateverTheModelGotWrong) {
  constexpr int calibrations = 2000;
  std::mt19937_64 random(11);
  std::exponential_distribution<double> observation(0.2);
  std::vector<double> coverages;
  for (int c = 0; c < calibrations; ++c) {
    Matrix targets(50, 1);
    for (double& value : targets.values()) value = observation(random);
    const Interval interval = guaranteed_interval(calibrated(targets, {.level = 0.8}), standard_normal(1), 0.8);
    coverages.push_back(std::exp(-0.2 * interval.lower(0, 0)) - std::exp(-0.2 * interval.upper(0, 0)));
  }
  const CoverageLaw law = coverage_law(50, 0.8);
  EXPECT_DOUBLE_EQ(law.a, 41);
  EXPECT_DOUBLE_EQ(law.b, 10);
  EXPECT_LT(kolmogorov_distance(coverages, law), 1.63 / std::sqrt(calibrations));  // 1 % of samples lie beyond
}

TEST(GuaranteedJointInterval, HoldsAllOutputsAtOnce) {
  constexpr int calibrations = 400;
  constexpr std::size_t new_rows = 400;
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  const auto draw = [&](std::size_t rows) {  // correlated, of unequal width
    Matrix targets(rows, 2);
    for (std::size_t row = 0; row < rows; ++row) {
      const double shared = normal(random);
      targets(row, 0) = shared + 0.1 * normal(random);
      targets(row, 1) = 3 * shared + normal(random);
    }
    return targets;
  };
  double inside = 0;
  for (int c = 0; c < calibrations; ++c) {
    const Ensemble model = calibrated(draw(39));
    const Interval box = guaranteed_joint_interval(model, standard_normal(1, 2), 0.9);
    const Matrix targets = draw(new_rows);
    for (std::size_t row = 0; row < new_rows; ++row) {
      const bool holds_first = box.lower(0, 0) <= targets(row, 0) && targets(row, 0) <= box.upper(0, 0);
      const bool holds_second = box.lower(0, 1) <= targets(row, 1) && targets(row, 1) <= box.upper(0, 1);
      inside += holds_first && holds_second ? 1 : 0;
    }
  }
  // Beta(36, 4) has the standard deviation 0.047, divided by the root of 400.
  EXPECT_NEAR(inside / calibrations / new_rows, 0.9, 4 * 0.0024);
}

// Eleven rows in three groups of three and two edges: the smallest calibration there is, where nothing but exactness
// gives one half in each group.
TEST(GuaranteedInterval, ByIgnoranceIsExactInEachGroup) {
  constexpr int calibrations = 30000;
  constexpr std::size_t rows = 11;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> ignorance(0, 3);
  std::normal_distribution<double> normal;
  const CalibrateOptions options{.level = 0.5, .by_ignorance = true};
  const Ensemble model = model_of(1);
  double inside[3] = {};
  double seen[3] = {};
  for (int c = 0; c < calibrations; ++c) {
    std::vector<double> ignorances(rows + 1);
    Matrix targets(rows, 1);
    for (double& value : ignorances) value = ignorance(random);
    const auto observe = [&](double e) { return normal(random) * std::exp(e) + e; };  // the model says sqrt(1 + e^2)
    for (std::size_t row = 0; row < rows; ++row) targets(row, 0) = observe(ignorances[row]);
    Calibration calibration(model, options);
    calibration.add({}, normal_rows(1, {ignorances.begin(), ignorances.end() - 1}), targets);
    const Ensemble promised = calibration.finish();
    const Interval interval = guaranteed_interval(promised, normal_rows(1, {ignorances.back()}), 0.5);
    const double observed = observe(ignorances.back());
    const auto group = std::ranges::upper_bound(promised.promise()->edges, ignorances.back());
    const auto at = group - promised.promise()->edges.begin();
    seen[at] += 1;
    inside[at] += interval.lower(0, 0) <= observed && observed <= interval.upper(0, 0) ? 1 : 0;
  }
  for (int group = 0; group < 3; ++group) {
    EXPECT_NEAR(inside[group] / seen[group], 0.5, 4 * 0.5 / std::sqrt(seen[group])) << "group " << group;
  }
}

TEST(GuaranteedInterval, ByAColumnHoldsOnePromisePerValue) {
  Calibration calibration(model_of(1), {.level = 0.8, .column = "lab"});
  std::vector<double> values = shuffled_steps(18);
  std::vector<std::string> labs;
  for (std::size_t row = 0; row < 18; ++row) {
    labs.push_back(row % 2 == 0 ? "B" : "A");
    if (row % 2 == 0) values[row] += 100;
  }
  calibration.add({}, standard_normal(18), column(values), labs);
  EXPECT_THAT([&] { calibration.finish(); }, Fails(ErrorCode::data, "too many calibration rows"));
  Calibration near(model_of(1), {.level = 0.8, .column = "lab"});
  for (double& value : values) value /= 10;
  near.add({}, standard_normal(18), column(values), labs);
  const Ensemble model = near.finish();
  const std::string asked[] = {"A", "B"};
  const Interval interval = guaranteed_interval(model, standard_normal(2), 0.8, asked);
  EXPECT_LT(interval.upper(0, 0), 0.1);
  EXPECT_GT(interval.lower(1, 0), 9.9);
  const std::string strange[] = {"A", "C"};
  EXPECT_THAT([&] { guaranteed_interval(model, standard_normal(2), 0.8, strange); },
              Fails(ErrorCode::data, "row 1: lab is \"C\", for which nothing is promised"));
  EXPECT_THAT([&] { guaranteed_interval(model, standard_normal(2), 0.8); },
              Fails(ErrorCode::usage, "the promise is by lab, but 0 of 2 rows have a group given"));
}

TEST(RowsNeeded, AreThoseOfFiniteIntervals) {
  const std::pair<double, std::size_t> known[] = {{0.5, 3}, {0.8, 9}, {0.9, 19}, {0.95, 39}, {0.99, 199}};
  for (const auto& [level, rows] : known) {
    EXPECT_EQ(rows_needed(level), rows) << level;
    EXPECT_EQ(rows_needed(level, Guarantee::joint), (rows + 1) / 2 - 1) << level;
    EXPECT_THAT([&] { coverage_law(rows - 1, level); }, Fails(ErrorCode::usage, "calibration rows, found"));
  }
}

TEST(CoverageLaw, PromisesAtLeastTheLevelAndNoMoreThanOneRowMore) {
  for (const double level : {0.5, 0.68, 0.8, 0.9, 0.95, 0.99}) {
    for (std::size_t rows = rows_needed(level); rows < 1500; rows += 7) {
      const CoverageLaw law = coverage_law(rows, level);
      EXPECT_GE(law.mean(), level * (1 - 1e-13));
      EXPECT_LT(law.mean(), level + 1 / (static_cast<double>(rows) + 1));
      EXPECT_DOUBLE_EQ(law.a + law.b, static_cast<double>(rows) + 1);
    }
  }
  EXPECT_NEAR(coverage_law(199, 0.95).quantile(0.5), 0.9514, 1e-4);  // median of Beta(190, 10)
}

TEST(CoverageBefore, IsTheShareInsideCentralQuantiles) {
  const Ensemble model = calibrated(column({-3, -1.9, 0, 1.9, 3, 0.5, 0.6, 0.7, 0.8}), {.level = 0.8});
  EXPECT_THAT(coverage_before(model.promise()->groups.front(), 0.95), testing::ElementsAre(DoubleNear(7.0 / 9, 1e-15)));
}

TEST(Calibration, RefusesWhatPromisesNothing) {
  EXPECT_THAT([] { calibrated(column(shuffled_steps(38))); },
              Fails(ErrorCode::data, "level 0.95 needs 39 calibration rows: 38 are given"));
  EXPECT_THAT([] { calibrated(column(shuffled_steps(118)), {.by_ignorance = true}); },
              Fails(ErrorCode::data,
                    "level 0.95 needs 39 calibration rows in each of 3 groups of ignorance, 119 in all: 118 are given"));
  EXPECT_THAT([] { calibrated(column(shuffled_steps(119)), {.by_ignorance = true}); },  // all know the same
              Fails(ErrorCode::data, "in each group: \"low ignorance\" has 0"));
  EXPECT_THAT([] { calibrated(column({nan})); }, Fails(ErrorCode::data, "targets"));
  EXPECT_THAT([] { Calibration(model_of(1), {.level = 1}); }, Fails(ErrorCode::usage, "level is 1"));
  EXPECT_THAT([] { Calibration(model_of(1), {.column = "lab", .by_ignorance = true}); },
              Fails(ErrorCode::usage, "groups by a column and by ignorance"));
  EXPECT_THAT([] { Calibration(store::example_ensemble({.classes = 3}), {}); },
              Fails(ErrorCode::usage, "the model predicts classes"));
}

TEST(GuaranteedInterval, RefusesWhatIsNotPromised) {
  const Ensemble model = calibrated(column(shuffled_steps(39)));
  EXPECT_THAT([&] { guaranteed_interval(model, standard_normal(1), 0.99); },
              Fails(ErrorCode::usage, "level 0.99 needs 199 calibration rows, but there are 39, which can promise at "
                                      "most 0.95"));
  EXPECT_THAT([&] { guaranteed_joint_interval(model, standard_normal(1), 0.9); },
              Fails(ErrorCode::usage, "a joint interval is for several outputs"));
  EXPECT_THAT([&] { guaranteed_interval(model_of(1), standard_normal(1), 0.9); },
              Fails(ErrorCode::usage, "the model has no promise"));
}

TEST(Calibration, IsForgottenWhenTheModelChanges) {
  const Ensemble model = calibrated(column(shuffled_steps(39)));
  EXPECT_TRUE(model.promise().has_value());
  EXPECT_FALSE(model.with_weights({1}).promise().has_value());
}

}  // namespace
}  // namespace credens
