// SPDX-License-Identifier: Apache-2.0

#include "math/mixture.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <limits>

#include "math/normal.hpp"
#include "mixtures.hpp"
#include "support/reference.hpp"

namespace credens::math {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

const Mixture two{{0.25, 0.75}, {-1, 4}, {0.5, 2}};
const Mixture many{{0.1, 0.2, 0.3, 0.05, 0.35}, {-3, 0, 0.5, 7, 1}, {1, 0.3, 2, 0.7, 1.5}};
const Mixture steps{{0.5, 0.3, 0.2}, {1, 2, 5}, {0, 0, 0}};
const Mixture step_and_bell{{0.4, 0.6}, {0, 1}, {0, 1}};

/// Integral of (F(x) - [x >= value])^2, split where the integrand jumps or bends.
double integrated_crps(const Mixture& mixture, double value) {
  std::vector<double> ends = mixture.mean;
  ends.push_back(value);
  for (std::size_t l = 0; l < mixture.mean.size(); ++l) {
    for (const double z : {-40.0, -5.0, -2.0, 2.0, 5.0, 40.0}) ends.push_back(mixture.mean[l] + z * mixture.std[l]);
  }
  std::sort(ends.begin(), ends.end());
  double sum = 0;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    if (ends[i] == ends[i + 1]) continue;
    const bool above = ends[i] >= value;
    const auto integrand = [&](double x) {
      const double difference = above ? mixture_survival(mixture, x) : mixture_cdf(mixture, x);
      return difference * difference;
    };
    sum += boost::math::quadrature::gauss_kronrod<double, 31>::integrate(integrand, ends[i], ends[i + 1], 10, 1e-13);
  }
  return sum;
}

long double direct_log_density(const Mixture& mixture, double value) {
  long double sum = 0;
  for (std::size_t l = 0; l < mixture.weight.size(); ++l) {
    const long double std = mixture.std[l];
    const long double z = (static_cast<long double>(value) - mixture.mean[l]) / std;
    sum += mixture.weight[l] * std::exp(-0.5L * (z * z + log_two_pi)) / std;
  }
  return std::log(sum);
}

/// Components in 40 places, as draws of an uncertain input make them.
Mixture of_draws() {
  Mixture mixture;
  for (int i = 0; i < 400; ++i) {
    mixture.weight.push_back(1.0 / 400);
    mixture.mean.push_back(std::sin(0.157 * (i % 40)) + 0.01 * (i / 40));
    mixture.std.push_back(0.3 + 0.02 * (i % 7));
  }
  return mixture;
}

/// E|X| of a normal X.
double expected_size(double mean, double std) {
  const double z = mean / std;
  return 2 * std * normal_density(z) + mean * (2 * normal_cdf(z) - 1);
}

/// E|Y - value| - E|Y - Y'| / 2, pair by pair.
double crps_by_pairs(const Mixture& mixture, double value) {
  double score = 0;
  for (std::size_t l = 0; l < mixture.mean.size(); ++l) {
    score += mixture.weight[l] * expected_size(mixture.mean[l] - value, mixture.std[l]);
    for (std::size_t r = 0; r < mixture.mean.size(); ++r) {
      const double distance = mixture.mean[l] - mixture.mean[r];
      score -= 0.5 * mixture.weight[l] * mixture.weight[r] *
               expected_size(distance, std::hypot(mixture.std[l], mixture.std[r]));
    }
  }
  return score;
}

// Many components take a sum over a grid in place of one over pairs.
TEST(MixtureCrps, OfManyComponentsIsTheSame) {
  const Mixture mixture = of_draws();
  for (const double value : {-3.0, 0.1, 1.2, 8.0}) {
    EXPECT_NEAR(mixture_crps(mixture, value), crps_by_pairs(mixture, value), 1e-11);
  }
}

TEST(Mixture, AgreesWithRecordedValues) {
  for (const auto& line : test::reference_lines("mixture.csv")) {
    const Mixture mixture{test::numbers(line[0]), test::numbers(line[1]), test::numbers(line[2])};
    const double cdf = test::numbers(line[5])[0];
    const double survival = test::numbers(line[6])[0];
    const double log_density = test::numbers(line[7])[0];
    EXPECT_NEAR(mixture_cdf(mixture, 2), cdf, 1e-14 * cdf);
    EXPECT_NEAR(mixture_survival(mixture, 2), survival, 1e-14 * survival);
    EXPECT_NEAR(mixture_log_density(mixture, 2), log_density, 1e-14 * std::abs(log_density));
  }
}

TEST(Mixture, MomentsAreThoseOfTheDensity) {
  EXPECT_NEAR(mixture_mean(two), 2.75, 1e-15);
  EXPECT_NEAR(mixture_variance(two), 0.25 * (0.25 + 3.75 * 3.75) + 0.75 * (4 + 1.25 * 1.25), 1e-14);
  using Quadrature = boost::math::quadrature::gauss_kronrod<double, 31>;
  const auto integrate = [&](auto&& f) { return Quadrature::integrate(f, -60.0, 60.0, 15, 1e-14); };
  const auto density = [&](double x) { return std::exp(mixture_log_density(many, x)); };
  const double mean = integrate([&](double x) { return x * density(x); });
  const double variance = integrate([&](double x) { return (x - mean) * (x - mean) * density(x); });
  EXPECT_NEAR(mixture_mean(many), mean, 1e-12);
  EXPECT_NEAR(mixture_variance(many), variance, 1e-11);
}

TEST(MixtureVariance, IsThatOfTheMeansForSteps) {
  EXPECT_NEAR(mixture_mean(steps), 2.1, 1e-15);
  EXPECT_NEAR(mixture_variance(steps), 0.5 * 1.21 + 0.3 * 0.01 + 0.2 * 8.41, 1e-14);
}

TEST(MixtureCdf, JumpsAtAStep) {
  EXPECT_EQ(mixture_cdf(steps, std::nextafter(1.0, 0.0)), 0);
  EXPECT_EQ(mixture_cdf(steps, 1), 0.5);
  EXPECT_EQ(mixture_cdf(steps, 3), 0.8);
  EXPECT_EQ(mixture_survival(steps, 1), 0.5);
  EXPECT_EQ(mixture_survival(steps, 0), 1);
  EXPECT_EQ(mixture_survival(steps, 5), 0);
}

TEST(MixtureSurvival, HasNoCancellationInTheUpperTail) {
  EXPECT_NEAR(mixture_survival(two, 44) / (0.75 * normal_survival(20)), 1, 1e-14);
  EXPECT_NEAR(mixture_cdf(two, -31) / (0.25 * normal_cdf(-60) + 0.75 * normal_cdf(-17.5)), 1, 1e-14);
}

TEST(MixtureLogDensity, IsTheLogOfTheDirectSum) {
  for (double x = -30; x < 60; x += 0.93) {
    const auto expected = static_cast<double>(direct_log_density(many, x));
    EXPECT_NEAR(mixture_log_density(many, x), expected, 1e-14 * (1 + std::abs(expected)));
  }
}

TEST(MixtureLogDensity, StaysFiniteInTheFarTails) {
  EXPECT_NEAR(mixture_log_density(two, 1e6) / (-0.5 * 0.25 * (1e6 - 4) * (1e6 - 4)), 1, 1e-10);
  EXPECT_NEAR(mixture_log_density(two, -1e150) / -1.25e299, 1, 1e-12);
}

TEST(MixtureLogDensity, IsInfiniteWhereAStepDemandsIt) {
  EXPECT_EQ(mixture_log_density(steps, 2), infinity);
  EXPECT_EQ(mixture_log_density(steps, 3), -infinity);
  EXPECT_EQ(mixture_log_density(step_and_bell, 0), infinity);
  EXPECT_NEAR(mixture_log_density(step_and_bell, 2), std::log(0.6 * normal_density(1)), 1e-15);
}

TEST(MixtureCrps, IsTheIntegralOfTheSquaredDifference) {
  for (const Mixture& mixture : {two, many, steps, step_and_bell}) {
    for (const double value : {-20.0, -1.0, 0.0, 0.3, 2.0, 4.9, 30.0}) {
      const double expected = integrated_crps(mixture, value);
      EXPECT_NEAR(mixture_crps(mixture, value), expected, 1e-10 * expected) << "at " << value;
    }
  }
}

TEST(MixtureCrps, OfOneStepIsTheDistance) {
  const Mixture step{{1}, {3}, {0}};
  EXPECT_EQ(mixture_crps(step, 7.5), 4.5);
  EXPECT_EQ(mixture_crps(step, 3), 0);
}

TEST(MixtureCrps, OfOneNormalHasItsClosedForm) {
  // s (z (2 Phi(z) - 1) + 2 phi(z) - 1 / sqrt(pi))
  const Mixture normal{{1}, {-2}, {3}};
  for (const double z : {-4.0, -0.5, 0.0, 1.3}) {
    const double expected = 3 * (z * (2 * normal_cdf(z) - 1) + 2 * normal_density(z) - 1 / std::sqrt(std::acos(-1.0)));
    EXPECT_NEAR(mixture_crps(normal, -2 + 3 * z), expected, 1e-14);
  }
}

TEST(MixtureFunctions, IgnoreComponentsOfWeightZero) {
  const Mixture with_nothing{{0.25, 0, 0.75}, {-1, 2, 4}, {0.5, 0, 2}};
  for (const double x : {-3.0, 0.0, 2.0, 9.0}) {
    EXPECT_EQ(mixture_cdf(with_nothing, x), mixture_cdf(two, x));
    EXPECT_EQ(mixture_survival(with_nothing, x), mixture_survival(two, x));
    EXPECT_EQ(mixture_log_density(with_nothing, x), mixture_log_density(two, x));
    EXPECT_EQ(mixture_crps(with_nothing, x), mixture_crps(two, x));
  }
}

TEST(LogSumExp, HoldsWhereExpOverflows) {
  EXPECT_NEAR(log_sum_exp(std::vector<double>{1000, 1000}), 1000 + std::log(2.0), 1e-12);
  EXPECT_NEAR(log_sum_exp(std::vector<double>{-1000, -1001, -999}), -999 + std::log1p(std::exp(-1) + std::exp(-2)),
              1e-12);
  EXPECT_NEAR(log_sum_exp(std::vector<double>{0, 1, 2}), std::log(1 + std::exp(1) + std::exp(2)), 1e-15);
}

TEST(LogSumExp, HasLimits) {
  EXPECT_EQ(log_sum_exp({}), -infinity);
  EXPECT_EQ(log_sum_exp(std::vector<double>{-infinity, -infinity}), -infinity);
  EXPECT_EQ(log_sum_exp(std::vector<double>{-infinity, 3}), 3);
  EXPECT_EQ(log_sum_exp(std::vector<double>{infinity, 3, infinity}), infinity);
  EXPECT_TRUE(std::isnan(log_sum_exp(std::vector<double>{1, std::nan(""), 2})));
}

bool close(double a, double b, double scale) {
  return std::abs(a - b) <= 1e-12 * scale;
}

RC_GTEST_PROP(MixtureLaw, PermutingComponentsChangesNothing, ()) {
  const Mixture mixture = arbitrary_mixture();
  const Mixture other = permuted(mixture, *rc::gen::arbitrary<std::uint64_t>());
  const double x = *rc::gen::inRange(-5000, 5000) / 16.0;
  RC_ASSERT(close(mixture_mean(mixture), mixture_mean(other), std::abs(mixture_mean(mixture))));
  RC_ASSERT(close(mixture_variance(mixture), mixture_variance(other), mixture_variance(mixture)));
  RC_ASSERT(close(mixture_cdf(mixture, x), mixture_cdf(other, x), mixture_cdf(mixture, x)));
  RC_ASSERT(close(mixture_survival(mixture, x), mixture_survival(other, x), mixture_survival(mixture, x)));
  const double log_density = mixture_log_density(mixture, x);
  RC_ASSERT(close(log_density, mixture_log_density(other, x), 1 + std::abs(log_density)));
  RC_ASSERT(close(mixture_crps(mixture, x), mixture_crps(other, x), mixture_crps(mixture, x)));
}

RC_GTEST_PROP(MixtureLaw, ScalesExactlyWithPowersOfTwo, ()) {
  const Mixture mixture = arbitrary_mixture();
  const double factor = std::ldexp(1.0, *rc::gen::inRange(-40, 40));
  const Mixture other = scaled(mixture, factor);
  const double x = *rc::gen::inRange(-5000, 5000) / 16.0;
  RC_ASSERT(mixture_mean(other) == factor * mixture_mean(mixture));
  RC_ASSERT(mixture_variance(other) == factor * factor * mixture_variance(mixture));
  RC_ASSERT(mixture_cdf(other, factor * x) == mixture_cdf(mixture, x));
  RC_ASSERT(mixture_crps(other, factor * x) == factor * mixture_crps(mixture, x));
}

RC_GTEST_PROP(MixtureLaw, CdfRisesAndCompletesTheSurvival, ()) {
  const Mixture mixture = arbitrary_mixture();
  const int first = *rc::gen::inRange(-5000, 5000);
  const int step = *rc::gen::inRange(0, 1000);
  const double low = mixture_cdf(mixture, first / 16.0);
  const double high = mixture_cdf(mixture, (first + step) / 16.0);
  RC_ASSERT(low <= high * (1 + 1e-15));
  RC_ASSERT(std::abs(low + mixture_survival(mixture, first / 16.0) - 1) <= 1e-14);
}

RC_GTEST_PROP(MixtureLaw, CrpsIsTheIntegral, ()) {
  const Mixture mixture = arbitrary_mixture(4);
  const double value = *rc::gen::inRange(-5000, 5000) / 16.0;
  const double expected = integrated_crps(mixture, value);
  RC_ASSERT(std::abs(mixture_crps(mixture, value) - expected) <= 1e-9 * expected);
}

}  // namespace
}  // namespace credens::math
