// SPDX-License-Identifier: Apache-2.0

#include <credens/conformity.hpp>

#include <gtest/gtest.h>

#include "support/error_matchers.hpp"

namespace credens {
namespace {

using test::Fails;

Predictive gaussian(double mean, double noise_std, double ignorance_std) {
  return Predictive({.rows = 1,
                     .outputs = 1,
                     .weights = {1},
                     .mean = {mean},
                     .aleatoric_variance = {noise_std * noise_std},
                     .epistemic_variance = {ignorance_std * ignorance_std}});
}

// A result of 13.6 with standard uncertainty 1.8 and limits of 12.5 and 16.3.
TEST(ConformityProbability, IsThatOfANormalDistribution) {
  const double p = conformity_probability(gaussian(13.6, 1.8, 0), {.lower = 12.5, .upper = 16.3})(0, 0);
  EXPECT_NEAR(p, 0.6626, 5e-5);
}

TEST(ConformityProbability, OfTheFunctionLeavesTheNoiseOut) {
  const Predictive p = gaussian(0, 100, 1);
  EXPECT_NEAR(conformity_probability(p, {.upper = 1.959963984540054}, Measurand::function)(0, 0), 0.975, 1e-12);
}

TEST(ConformityProbability, KeepsItsDigitsFarOut) {
  const double p = conformity_probability(gaussian(0, 1, 0), {.lower = 10, .upper = 11})(0, 0);
  EXPECT_NEAR(p / 7.6198530241605e-24, 1, 1e-3);
}

TEST(ConformityProbability, RefusesLimitsThatAreNone) {
  const Predictive p = gaussian(0, 1, 0);
  EXPECT_THAT([&] { conformity_probability(p, {}); }, Fails(ErrorCode::usage, "no limit is given"));
  EXPECT_THAT([&] { conformity_probability(p, {.lower = 2, .upper = 1}); },
              Fails(ErrorCode::usage, "the lower limit 2 is not below the upper limit 1"));
}

}  // namespace
}  // namespace credens
