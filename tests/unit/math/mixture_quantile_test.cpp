// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "math/mixture.hpp"
#include "math/normal.hpp"
#include "mixtures.hpp"
#include "support/reference.hpp"

namespace credens::math {
namespace {

constexpr double levels[] = {1e-6, 1e-4, 0.01, 0.025, 0.2, 0.31, 0.5, 0.6, 0.9, 0.975, 0.999, 1 - 1e-6};

/// |F(x) - p|, looked at from the side without cancellation.
double miss(const MixtureView& mixture, double x, double p) {
  return p > 0.5 ? std::abs(mixture_survival(mixture, x) - (1 - p)) : std::abs(mixture_cdf(mixture, x) - p);
}

/// F(below x) < p <= F(x), up to rounding.
void expect_bracketed(const MixtureView& mixture, double p) {
  const double x = mixture_quantile(mixture, p);
  ASSERT_TRUE(std::isfinite(x));
  const double below = std::nextafter(x, -std::numeric_limits<double>::infinity());
  const double rounding = 1e-14 * std::min(p, 1 - p);
  if (p > 0.5) {
    EXPECT_LE(mixture_survival(mixture, x), 1 - p + rounding) << "p = " << p << ", x = " << x;
    EXPECT_GE(mixture_survival(mixture, below), 1 - p - rounding) << "p = " << p << ", x = " << x;
  } else {
    EXPECT_GE(mixture_cdf(mixture, x), p - rounding) << "p = " << p << ", x = " << x;
    EXPECT_LE(mixture_cdf(mixture, below), p + rounding) << "p = " << p << ", x = " << x;
  }
}

/// Two to fifty components, standard deviations between `smallest` max(1, |mean|) and 10^`largest_power`, means of any
/// size up to 10^5.
Mixture random_mixture(base::RandomStream& random, double smallest, double largest_power) {
  const std::size_t size = 2 + random.below(49);
  const double spread = std::pow(10.0, random.uniform(-3, 5));
  Mixture mixture;
  for (std::size_t l = 0; l < size; ++l) {
    mixture.weight.push_back(random.uniform() + 1e-3);
    mixture.mean.push_back(spread * random.normal());
    const double floor = smallest * std::max(1.0, std::abs(mixture.mean[l]));
    mixture.std.push_back(std::max(floor, std::pow(10.0, random.uniform(std::log10(smallest), largest_power))));
  }
  make_sum_one(mixture.weight);
  return mixture;
}

TEST(MixtureQuantile, AgreesWithRecordedValues) {
  for (const auto& line : test::reference_lines("mixture.csv")) {
    const Mixture mixture{test::numbers(line[0]), test::numbers(line[1]), test::numbers(line[2])};
    const double p = test::numbers(line[3])[0];
    const double expected = test::numbers(line[4])[0];
    EXPECT_NEAR(mixture_quantile(mixture, p), expected, 1e-12 * std::abs(expected)) << line[1] << " at " << line[3];
  }
}

TEST(MixtureQuantile, SolvesTheEquationTo1e10WhereStdIsNotTiny) {
  base::RandomStream random({.seed = 11});
  for (int repetition = 0; repetition < 1000; ++repetition) {
    const Mixture mixture = random_mixture(random, 1e-5, 3);
    for (const double p : levels) ASSERT_LE(miss(mixture, mixture_quantile(mixture, p), p), 1e-10) << "p = " << p;
  }
}

TEST(MixtureQuantile, IsBracketedByNeighbouringDoublesWhereStdIsTiny) {
  base::RandomStream random({.seed = 12});
  for (int repetition = 0; repetition < 300; ++repetition) {
    const Mixture mixture = random_mixture(random, 1e-18, -3);
    for (const double p : levels) expect_bracketed(mixture, p);
  }
}

TEST(MixtureQuantile, IsBracketedForStepsAmongBells) {
  base::RandomStream random({.seed = 13});
  for (int repetition = 0; repetition < 300; ++repetition) {
    Mixture mixture = random_mixture(random, 1e-8, 4);
    for (double& std : mixture.std) std = random.uniform() < 0.5 ? 0 : std;
    for (const double p : levels) expect_bracketed(mixture, p);
  }
}

TEST(MixtureQuantile, IsBracketedForExtremeScales) {
  const Mixture extremes[] = {
      {{0.5, 0.5}, {-1e300, 1e300}, {1e299, 1e-300}},
      {{0.5, 0.5}, {0, 1.3}, {1e-300, 1}},
      {{0.3, 0.7}, {0, 0}, {5e-324, 1e300}},
      {{0.2, 0.8}, {-1e-310, 1e-310}, {1e-311, 0}},
      {{0.5, 0.5}, {1e16, 1e16 + 2}, {1e-3, 1e-3}},
      {{0.1, 0.9}, {-1, 1.3}, {0, 0}},
      {{0.1, 0.8, 0.1}, {-1, 0, 1.7}, {1e-3, 0, 1e-3}},
      {{0.5, 0.5}, {-1e307, 1e307}, {1e-307, 0}},
  };
  for (const Mixture& mixture : extremes) {
    for (const double p : levels) expect_bracketed(mixture, p);
  }
}

TEST(MixtureQuantile, IsFiniteWhereTheTrueOneWouldOverflow) {
  const double largest = std::numeric_limits<double>::max();
  const Mixture extremes[] = {{{1}, {0}, {largest}}, {{0.5, 0.5}, {-largest, largest}, {largest, largest}}};
  for (const Mixture& mixture : extremes) {
    for (const double p : levels) EXPECT_TRUE(std::isfinite(mixture_quantile(mixture, p))) << "p = " << p;
  }
}

TEST(MixtureQuantile, OfOneTinyComponentIsTheNearestDoubleThatReachesP) {
  for (const double std : {1e-13, 1e-15, 1e-16, 1e-18, 1e-300, 0.0}) {
    for (const double p : levels) expect_bracketed(Mixture{{1}, {-3}, {std}}, p);
  }
}

TEST(MixtureQuantile, OfOneComponentIsExact) {
  for (const double p : levels) {
    EXPECT_EQ(mixture_quantile(Mixture{{1}, {-3}, {0.7}}, p), -3 + 0.7 * normal_quantile(p));
    EXPECT_EQ(mixture_quantile(Mixture{{1}, {-3}, {0}}, p), -3);
    EXPECT_EQ(mixture_quantile(Mixture{{0.5, 0.25, 0.25}, {2, 2, 2}, {5, 5, 5}}, p), 2 + 5 * normal_quantile(p));
  }
}

TEST(MixtureQuantile, IgnoresComponentsOfWeightZero) {
  const Mixture with_nothing{{0.25, 0, 0.75, 0}, {-1, 1e9, 4, -1e9}, {0.5, 1, 2, 0}};
  const Mixture without{{0.25, 0.75}, {-1, 4}, {0.5, 2}};
  for (const double p : levels) EXPECT_EQ(mixture_quantile(with_nothing, p), mixture_quantile(without, p));
}

TEST(MixtureQuantile, OfStepsIsTheSmallestValueThatReachesP) {
  const Mixture steps{{0.5, 0.25, 0.25}, {1, 2, 5}, {0, 0, 0}};
  EXPECT_EQ(mixture_quantile(steps, 1e-9), 1);
  EXPECT_EQ(mixture_quantile(steps, 0.5), 1);
  EXPECT_EQ(mixture_quantile(steps, std::nextafter(0.5, 1.0)), 2);
  EXPECT_EQ(mixture_quantile(steps, 0.75), 2);
  EXPECT_EQ(mixture_quantile(steps, 0.7500001), 5);
  EXPECT_EQ(mixture_quantile(steps, 1 - 1e-9), 5);
}

TEST(MixtureQuantile, StopsAtTheBeginningOfAPlateau) {
  // Between the bells F equals 0.5 to the last bit from about 8 standard deviations above the lower one.
  const Mixture apart{{0.5, 0.5}, {0, 1000}, {1, 1}};
  const double x = mixture_quantile(apart, 0.5);
  EXPECT_GT(x, 7);
  EXPECT_LT(x, 9);
}

TEST(MixtureQuantile, ReachesFarIntoTheTails) {
  const Mixture mixture{{0.25, 0.75}, {-1, 4}, {0.5, 2}};
  for (const double p : {1e-300, 1e-100, 1e-30, 1e-12}) {
    EXPECT_NEAR(mixture_cdf(mixture, mixture_quantile(mixture, p)) / p, 1, 1e-12);
  }
  EXPECT_NEAR(mixture_survival(mixture, mixture_quantile(mixture, 1 - 0x1p-53)) / 0x1p-53, 1, 1e-12);
}

RC_GTEST_PROP(MixtureQuantileLaw, ScalesExactlyWithPowersOfTwo, ()) {
  Mixture mixture = arbitrary_mixture();
  if (*rc::gen::arbitrary<bool>()) mixture.std.back() = 0;
  const double factor = std::ldexp(1.0, *rc::gen::inRange(-40, 40));
  const double p = *rc::gen::elementOf(std::vector<double>(std::begin(levels), std::end(levels)));
  RC_ASSERT(mixture_quantile(scaled(mixture, factor), p) == factor * mixture_quantile(mixture, p));
}

RC_GTEST_PROP(MixtureQuantileLaw, PermutingComponentsChangesNothing, ()) {
  const Mixture mixture = arbitrary_mixture();
  const Mixture other = permuted(mixture, *rc::gen::arbitrary<std::uint64_t>());
  const double p = *rc::gen::elementOf(std::vector<double>(std::begin(levels), std::end(levels)));
  const double x = mixture_quantile(mixture, p);
  // A flat F moves x by its rounding alone: ask for 1e-12 in p there.
  const double density = std::exp(mixture_log_density(mixture, x));
  const double tolerance =
      1e-12 * (std::abs(x) + std::sqrt(mixture_variance(mixture)) + 1e-2 * std::min(p, 1 - p) / density);
  RC_ASSERT(std::abs(mixture_quantile(other, p) - x) <= tolerance);
}

RC_GTEST_PROP(MixtureQuantileLaw, RisesWithP, ()) {
  const Mixture mixture = arbitrary_mixture();
  double last = -std::numeric_limits<double>::infinity();
  for (const double p : levels) {
    const double x = mixture_quantile(mixture, p);
    RC_ASSERT(last <= x);
    last = x;
  }
}

RC_GTEST_PROP(MixtureQuantileLaw, InvertsTheCdf, ()) {
  const Mixture mixture = arbitrary_mixture();
  const double x = mixture.mean.front() + mixture.std.front() * *rc::gen::inRange(-300, 300) / 100.0;
  const double p = mixture_cdf(mixture, x);
  RC_PRE(p > 1e-6 && p < 1 - 1e-6);
  // p knows x to the rounding of p over the density.
  const double density = std::exp(mixture_log_density(mixture, x));
  RC_ASSERT(std::abs(mixture_quantile(mixture, p) - x) <= 1e-14 * (std::abs(x) + 1 / density));
}

}  // namespace
}  // namespace credens::math
