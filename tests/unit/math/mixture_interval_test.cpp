// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "math/mixture.hpp"
#include "mixtures.hpp"

namespace credens::math {
namespace {

double probability_of(const Mixture& mixture, const MixtureInterval& interval) {
  return mixture_cdf(mixture, interval.upper) - mixture_cdf(mixture, interval.lower);
}

TEST(MixtureShortestInterval, OfOneNormalIsSymmetric) {
  const Mixture normal{{1}, {3}, {2}};
  const MixtureInterval interval = mixture_shortest_interval(normal, 0.95);
  EXPECT_NEAR(interval.lower, 3 - 2 * 1.959963984540054, 1e-6);
  EXPECT_NEAR(interval.upper, 3 + 2 * 1.959963984540054, 1e-6);
}

// A sharp peak with 90 % of the mass and a wide flank: the shortest interval takes the peak and the near flank.
TEST(MixtureShortestInterval, IsShorterThanTheSymmetricOneOfASkewedMixture) {
  const Mixture skewed{{0.8, 0.2}, {0, 4}, {0.5, 3}};
  const MixtureInterval interval = mixture_shortest_interval(skewed, 0.9);
  const double symmetric = mixture_quantile(skewed, 0.95) - mixture_quantile(skewed, 0.05);
  EXPECT_LT(interval.upper - interval.lower, 0.95 * symmetric);
  EXPECT_NEAR(mixture_log_density(skewed, interval.lower), mixture_log_density(skewed, interval.upper), 1e-6);
}

// No interval of the same probability on a fine grid of lower ends is shorter.
RC_GTEST_PROP(MixtureShortestInterval, HasNoShorterOneBesideIt, ()) {
  const Mixture mixture = arbitrary_mixture(5);
  const double level = *rc::gen::inRange(50, 99) / 100.0;
  const MixtureInterval interval = mixture_shortest_interval(mixture, level);
  RC_ASSERT(std::abs(probability_of(mixture, interval) - level) < 1e-9);
  const double width = interval.upper - interval.lower;
  for (int i = 1; i < 32; ++i) {
    const double tail = (1 - level) * i / 32;
    RC_ASSERT(width <= (mixture_quantile(mixture, level + tail) - mixture_quantile(mixture, tail)) * (1 + 1e-9));
  }
}

TEST(MixtureHalfWidth, OfOneNormalIsItsCoverageFactor) {
  const Mixture normal{{1}, {3}, {2}};
  EXPECT_NEAR(mixture_half_width(normal, 3, 0.95), 2 * 1.959963984540054, 1e-9);
}

RC_GTEST_PROP(MixtureHalfWidth, HoldsTheLevel, ()) {
  const Mixture mixture = arbitrary_mixture(5);
  const double level = *rc::gen::inRange(50, 99) / 100.0;
  const double centre = mixture_mean(mixture);
  const double half = mixture_half_width(mixture, centre, level);
  RC_ASSERT(std::abs(probability_of(mixture, {centre - half, centre + half}) - level) < 1e-9);
}

TEST(MixtureIntervals, OfAStepAreTheStep) {
  const Mixture step{{1}, {7}, {0}};
  EXPECT_EQ(mixture_shortest_interval(step, 0.9).lower, 7);
  EXPECT_EQ(mixture_shortest_interval(step, 0.9).upper, 7);
  EXPECT_NEAR(mixture_half_width(step, 7, 0.9), 0, 1e-300);
}

}  // namespace
}  // namespace credens::math
