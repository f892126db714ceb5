// SPDX-License-Identifier: Apache-2.0

#include <credens/predictive.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "math/linalg.hpp"
#include "model/weights.hpp"
#include "support/error_matchers.hpp"
#include "unit/model/random_components.hpp"
#include "unit/model/random_ensemble.hpp"

namespace credens {
namespace {

using model::ComponentsShape;
using model::random_components;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Matrix sum(const Matrix& a, const Matrix& b) {
  Matrix result = a;
  for (std::size_t i = 0; i < result.values().size(); ++i) result.values()[i] += b.values()[i];
  return result;
}

void expect_equal_predictions(const Predictive& a, const Predictive& b) {
  EXPECT_EQ(a.mean(), b.mean());
  EXPECT_EQ(a.aleatoric_variance(), b.aleatoric_variance());
  EXPECT_EQ(a.epistemic_variance(), b.epistemic_variance());
  EXPECT_EQ(a.interval(0.9, IntervalKind::mixture).lower, b.interval(0.9, IntervalKind::mixture).lower);
  EXPECT_EQ(a.log_density(a.mean()), b.log_density(a.mean()));
}

TEST(Predictive, HasTheMomentsOfPlainLoops) {
  const MixtureComponents components = random_components({.rows = 20, .outputs = 3});
  const Predictive predictive(components);
  for (std::size_t row = 0; row < 20; ++row) {
    const Matrix epistemic = predictive.epistemic_covariance(row);
    const Matrix aleatoric = predictive.aleatoric_covariance(row);
    EXPECT_EQ(predictive.total_covariance(row), sum(epistemic, aleatoric));
    for (std::size_t a = 0; a < 3; ++a) {
      EXPECT_NEAR(predictive.mean()(row, a), model::plain_mean(components, row, a), 1e-14);
      EXPECT_NEAR(predictive.aleatoric_variance()(row, a), model::plain_aleatoric(components, row, a), 1e-14);
      EXPECT_NEAR(predictive.epistemic_variance()(row, a), model::plain_epistemic(components, row, a, a), 1e-13);
      EXPECT_EQ(predictive.epistemic_variance()(row, a), epistemic(a, a));
      EXPECT_EQ(predictive.aleatoric_variance()(row, a), aleatoric(a, a));
      EXPECT_EQ(predictive.total_variance()(row, a), epistemic(a, a) + aleatoric(a, a));
      for (std::size_t b = 0; b < 3; ++b) {
        EXPECT_NEAR(epistemic(a, b), model::plain_epistemic(components, row, a, b), 1e-13);
        EXPECT_EQ(epistemic(a, b), epistemic(b, a));
        EXPECT_EQ(aleatoric(a, b) == 0, a != b);
      }
    }
  }
}

RC_GTEST_PROP(PredictiveLaw, CovariancesArePositiveSemidefinite, ()) {
  const auto members = *rc::gen::inRange<std::size_t>(1, 6);
  const Predictive predictive(random_components({.rows = 1,
                                                 .outputs = *rc::gen::inRange<std::size_t>(1, 5),
                                                 .weights = model::uniform_weights(members),
                                                 .seed = *rc::gen::arbitrary<std::uint32_t>()}));
  RC_ASSERT(math::symmetric_eigenvalues(predictive.classical().epistemic_covariance(0)).front() >= -1e-13);
  RC_ASSERT(math::symmetric_eigenvalues(predictive.epistemic_covariance(0)).front() > 0);
  RC_ASSERT(math::symmetric_eigenvalues(predictive.total_covariance(0)).front() > 0);
}

TEST(Predictive, OfMembersThatAgreeHasExactlyNoEpistemicVariance) {
  MixtureComponents components{.rows = 1, .outputs = 1, .weights = std::vector<double>(10, 0.1)};
  components.mean.assign(10, 1998.123456789);
  components.aleatoric_variance.assign(10, 2.0);
  components.epistemic_variance.assign(10, 0.0);
  const Predictive predictive(components);
  EXPECT_EQ(predictive.mean()(0, 0), 1998.123456789);
  EXPECT_EQ(predictive.epistemic_variance()(0, 0), 0);
}

TEST(Predictive, IgnoresMembersOfWeightZeroWhereverTheyStand) {
  const Predictive plain(random_components({.rows = 5, .outputs = 1, .weights = {0.25, 0.75}}));
  for (const std::size_t position : {0U, 1U, 2U}) {
    MixtureComponents with = plain.components();
    with.weights.insert(with.weights.begin() + position, 0.0);
    for (std::size_t row = 0; row < 5; ++row) {
      const auto at = static_cast<std::ptrdiff_t>(3 * row + position);
      with.mean.insert(with.mean.begin() + at, 1e100);
      with.aleatoric_variance.insert(with.aleatoric_variance.begin() + at, 1e200);
      with.epistemic_variance.insert(with.epistemic_variance.begin() + at, 1e200);
    }
    expect_equal_predictions(Predictive(with), plain);
  }
}

TEST(Predictive, KeepsItsNoiseAndMeanWhenMadeClassical) {
  const MixtureComponents components = random_components({});
  MixtureComponents points = components;
  for (double& value : points.epistemic_variance) value = 0;
  const Predictive classical = Predictive(components).classical();
  expect_equal_predictions(classical, Predictive(points));
  EXPECT_EQ(classical.mean(), Predictive(components).mean());
  EXPECT_EQ(classical.aleatoric_variance(), Predictive(components).aleatoric_variance());
}

TEST(Predictive, TendsToTheClassicalOneAsWidthsVanish) {
  const MixtureComponents components = random_components({});
  const Matrix classical = Predictive(components).classical().epistemic_variance();
  double previous = std::numeric_limits<double>::infinity();
  for (const double factor : {1.0, 1e-3, 1e-6, 1e-9}) {
    MixtureComponents narrow = components;
    for (double& value : narrow.epistemic_variance) value *= factor;
    const double added = Predictive(narrow).epistemic_variance()(0, 0) - classical(0, 0);
    EXPECT_GE(added, 0);
    EXPECT_LT(added, previous);
    previous = added;
  }
  EXPECT_LT(previous, 1e-8);
}

TEST(Predictive, OfOneMemberIsItsGaussian) {
  const MixtureComponents components = random_components({.rows = 3, .outputs = 1, .weights = {1.0}});
  const Predictive predictive(components);
  for (std::size_t row = 0; row < 3; ++row) {
    EXPECT_EQ(predictive.mean()(row, 0), components.mean[row]);
    EXPECT_EQ(predictive.epistemic_variance()(row, 0), components.epistemic_variance[row]);
    const double std = std::sqrt(components.aleatoric_variance[row] + components.epistemic_variance[row]);
    EXPECT_NEAR(predictive.interval(0.95).upper(row, 0), components.mean[row] + 1.959963984540054 * std, 1e-12);
    EXPECT_NEAR(predictive.interval(0.95, IntervalKind::mixture).upper(row, 0), predictive.interval(0.95).upper(row, 0),
                1e-12);
  }
}

TEST(Interval, OfGaussianKindIsMeanPlusMinusZStd) {
  const Predictive predictive(random_components({}));
  const Interval total = predictive.interval(0.6826894921370859);
  const Interval one_std = predictive.coverage_factor_interval(1);
  const Interval function = predictive.function_interval(0.6826894921370859);
  for (std::size_t row = 0; row < predictive.rows(); ++row) {
    for (std::size_t k = 0; k < 2; ++k) {
      const double mean = predictive.mean()(row, k);
      const double std = std::sqrt(predictive.total_variance()(row, k));
      const double epistemic_std = std::sqrt(predictive.epistemic_variance()(row, k));
      EXPECT_NEAR(total.lower(row, k), mean - std, 1e-13);
      EXPECT_NEAR(total.upper(row, k), mean + std, 1e-13);
      EXPECT_EQ(one_std.upper(row, k), mean + std);
      EXPECT_EQ(one_std.lower(row, k), mean - std);
      EXPECT_NEAR(function.upper(row, k), mean + epistemic_std, 1e-13);
      EXPECT_EQ(predictive.function_coverage_factor_interval(2).lower(row, k), mean - 2 * epistemic_std);
    }
  }
}

TEST(Interval, OfMixtureKindHoldsItsProbabilityEqualInBothTails) {
  const Predictive predictive(random_components({}));
  for (const double level : {0.1, 0.5, 0.95, 0.999}) {
    const Interval interval = predictive.interval(level, IntervalKind::mixture);
    const Matrix below = predictive.cdf(interval.lower);
    const Matrix above = predictive.cdf(interval.upper);
    for (std::size_t i = 0; i < below.values().size(); ++i) {
      EXPECT_NEAR(below.values()[i], (1 - level) / 2, 1e-12);
      EXPECT_NEAR(above.values()[i], (1 + level) / 2, 1e-12);
    }
  }
}

TEST(Interval, StaysFiniteAtTheLevelNextToOne) {
  const Predictive predictive(random_components({}));
  const double level = std::nextafter(1.0, 0.0);
  for (const IntervalKind kind : {IntervalKind::gaussian, IntervalKind::mixture}) {
    for (const Interval& interval : {predictive.interval(level, kind), predictive.function_interval(level, kind)}) {
      EXPECT_TRUE(std::isfinite(interval.lower(0, 0)));
      EXPECT_TRUE(std::isfinite(interval.upper(0, 0)));
      EXPECT_LT(interval.lower(0, 0), interval.upper(0, 0));
    }
  }
}

TEST(FunctionInterval, OfOnePointHasNoWidth) {
  const Predictive predictive = Predictive(random_components({.weights = {1.0}})).classical();
  for (const IntervalKind kind : {IntervalKind::gaussian, IntervalKind::mixture}) {
    const Interval interval = predictive.function_interval(0.95, kind);
    EXPECT_EQ(interval.lower, predictive.mean());
    EXPECT_EQ(interval.upper, predictive.mean());
  }
}

TEST(FunctionQuantile, OfPointsIsOneOfThem) {
  MixtureComponents components{.rows = 1, .outputs = 1, .weights = {0.25, 0.5, 0.25}, .mean = {3, 1, 2}};
  components.aleatoric_variance.assign(3, 1.0);
  components.epistemic_variance.assign(3, 0.0);
  const Predictive predictive(components);
  EXPECT_EQ(predictive.function_quantile(0.4)(0, 0), 1);
  EXPECT_EQ(predictive.function_quantile(0.6)(0, 0), 2);
  EXPECT_EQ(predictive.function_quantile(0.9)(0, 0), 3);
}

TEST(Quantile, InvertsTheDistributionFunction) {
  const Predictive predictive(random_components({}));
  for (const double p : {1e-6, 0.05, 0.5, 0.95, 1 - 1e-6}) {
    const Matrix back = predictive.cdf(predictive.quantile(p));
    for (const double value : back.values()) EXPECT_NEAR(value, p, 1e-10);
  }
}

TEST(FunctionCdf, IsInvertedByTheQuantilesOfTheFunctionAndLeavesTheNoiseOut) {
  const MixtureComponents components = random_components({});
  const Predictive predictive(components);
  for (const double p : {1e-6, 0.05, 0.5, 0.95, 1 - 1e-6}) {
    const Matrix back = predictive.function_cdf(predictive.function_quantile(p));
    for (const double value : back.values()) EXPECT_NEAR(value, p, 1e-10);
  }
  const Matrix at(predictive.rows(), predictive.outputs(), 0.25);
  const Matrix found = predictive.function_cdf(at);
  double expected = 0;  // of the first row and output
  for (std::size_t l = 0; l < predictive.members(); ++l) {
    const std::size_t i = l * predictive.outputs();
    const double z = (0.25 - components.mean[i]) / std::sqrt(components.epistemic_variance[i]);
    expected += components.weights[l] * std::erfc(-z / std::sqrt(2.0)) / 2;
  }
  EXPECT_NEAR(found(0, 0), expected, 1e-14);
}

TEST(FunctionCdf, OfPointsCountsThem) {
  MixtureComponents components{.rows = 1, .outputs = 1, .weights = {0.25, 0.5, 0.25}, .mean = {3, 1, 2}};
  components.aleatoric_variance.assign(3, 1.0);
  components.epistemic_variance.assign(3, 0.0);
  const Predictive predictive(components);
  EXPECT_EQ(predictive.function_cdf(Matrix(1, 1, 0.5))(0, 0), 0);
  EXPECT_EQ(predictive.function_cdf(Matrix(1, 1, 1.0))(0, 0), 0.5);
  EXPECT_EQ(predictive.function_cdf(Matrix(1, 1, 2.5))(0, 0), 0.75);
}

TEST(Density, IsThatOfPlainLoopsAndIntegratesToTheDistributionFunction) {
  const MixtureComponents components = random_components({.rows = 1, .outputs = 1});
  const Predictive predictive(components);
  const double step = 1e-3;
  double integral = 0;
  for (double t = -12 + step / 2; t < 18; t += step) {
    const double density = predictive.density(Matrix(1, 1, t))(0, 0);
    EXPECT_NEAR(density, model::plain_density(components, 0, 0, t), 1e-14);
    integral += step * density;
    if (std::abs(t - 3) < step / 2) {
      EXPECT_NEAR(predictive.cdf(Matrix(1, 1, t + step / 2))(0, 0), integral, 1e-7);
    }
  }
  EXPECT_NEAR(integral, 1, 1e-9);
}

TEST(LogDensity, IsJointOverOutputs) {
  const MixtureComponents c = random_components({});
  const Predictive predictive(c);
  const Matrix values = model::random_matrix(4, 2, 9, 0, 6);
  const std::vector<double> found = predictive.log_density(values);
  for (std::size_t row = 0; row < 4; ++row) {
    double density = 0;
    for (std::size_t l = 0; l < 3; ++l) {
      double product = c.weights[l];
      for (std::size_t k = 0; k < 2; ++k) {
        const std::size_t at = model::component_index(c, row, l, k);
        const double variance = c.aleatoric_variance[at] + c.epistemic_variance[at];
        const double distance = values(row, k) - c.mean[at];
        product *= std::exp(-0.5 * distance * distance / variance) / std::sqrt(2 * std::numbers::pi * variance);
      }
      density += product;
    }
    EXPECT_NEAR(found[row], std::log(density), 1e-12);
  }
}

TEST(LogDensity, IntegratesToOneOverThePlane) {
  const Predictive predictive(random_components({.rows = 1}));
  const double step = 0.05;
  double integral = 0;
  for (double x = -9; x < 15; x += step) {
    for (double y = -9; y < 15; y += step) {
      integral += step * step * std::exp(predictive.log_density(Matrix(1, 2, {x, y}))[0]);
    }
  }
  EXPECT_NEAR(integral, 1, 1e-8);
}

TEST(LogDensity, OfOneOutputIsTheLogOfTheMarginalDensity) {
  const Predictive predictive(random_components({.outputs = 1}));
  const Matrix values = model::random_matrix(4, 1, 9, 0, 6);
  for (std::size_t row = 0; row < 4; ++row) {
    EXPECT_NEAR(predictive.log_density(values)[row], std::log(predictive.density(values)(row, 0)), 1e-12);
  }
}

TEST(LogDensity, StaysANumberFarAway) {
  const Predictive predictive(random_components({.rows = 1, .outputs = 1}));
  EXPECT_LT(predictive.log_density(Matrix(1, 1, 1e6))[0], -1e10);
  EXPECT_EQ(predictive.log_density(Matrix(1, 1, 1e300))[0], -std::numeric_limits<double>::infinity());
}

TEST(Predictive, OfNoRowsIsEmpty) {
  const Predictive predictive(MixtureComponents{.rows = 0, .outputs = 2, .weights = {1.0}});
  EXPECT_EQ(predictive.mean(), Matrix(0, 2));
  EXPECT_EQ(predictive.interval(0.95, IntervalKind::mixture).lower, Matrix(0, 2));
  EXPECT_TRUE(predictive.log_density(Matrix(0, 2)).empty());
}

TEST(Predictive, RefusesComponentsThatAreNotADistribution) {
  const auto with = [](const std::function<void(MixtureComponents&)>& spoil) {
    return [spoil] {
      MixtureComponents components = random_components({});
      spoil(components);
      Predictive{components};
    };
  };
  const auto is_usage = [](const char* words) { return test::Fails(ErrorCode::usage, words); };
  const auto is_data = [](const char* words) { return test::Fails(ErrorCode::data, words); };
  EXPECT_THAT(with([](auto& c) { c.weights = {0.5, 0.2, 0.2}; }), is_usage("sum 0.8999"));
  EXPECT_THAT(with([](auto& c) { c.weights = {1.5, -0.8, 0.3}; }), is_usage("weight is 1.5"));
  EXPECT_THAT(with([](auto& c) { c.weights = {nan, 0.5, 0.5}; }), is_usage("weight is nan"));
  EXPECT_THAT(with([](auto& c) { c.weights.clear(); }), is_usage("no members"));
  EXPECT_THAT(with([](auto& c) { c.outputs = 0; }), is_usage("no outputs"));
  EXPECT_THAT(with([](auto& c) { c.mean.pop_back(); }), is_usage("mean has 23 values, expected 24"));
  EXPECT_THAT(with([](auto& c) { c.mean[9] = nan; }), is_data("row 1, member 1, output 1: mean"));
  EXPECT_THAT(with([](auto& c) { c.aleatoric_variance[0] = 0; }), is_data("is 0, expected"));
  EXPECT_THAT(with([](auto& c) { c.epistemic_variance[0] = -1; }), is_data("epistemic variance"));
}

TEST(Predictive, RefusesArgumentsOutOfRange) {
  const Predictive predictive(random_components({}));
  for (const double level : {0.0, 1.0, -1.0, 2.0, nan}) {
    EXPECT_THAT([&] { predictive.interval(level); }, test::Fails(ErrorCode::usage, "level"));
    EXPECT_THAT([&] { predictive.function_interval(level); }, test::Fails(ErrorCode::usage, "level"));
    EXPECT_THAT([&] { predictive.quantile(level); }, test::Fails(ErrorCode::usage, "probability"));
  }
  for (const double factor : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT([&] { predictive.coverage_factor_interval(factor); }, test::Fails(ErrorCode::usage, "coverage factor"));
  }
  EXPECT_THAT([&] { predictive.total_covariance(4); }, test::Fails(ErrorCode::usage, "row 4"));
  EXPECT_THAT([&] { predictive.cdf(Matrix(4, 1)); }, test::Fails(ErrorCode::data, "4 x 1, expected 4 x 2"));
  EXPECT_THAT([&] { predictive.log_density(Matrix(4, 2, nan)); }, test::Fails(ErrorCode::data, "row 0"));
}

}  // namespace
}  // namespace credens
