// SPDX-License-Identifier: Apache-2.0

#include <credens/conformity.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "math/normal.hpp"
#include "support/error_matchers.hpp"
#include "unit/decide/one_normal.hpp"

namespace credens {
namespace {

using test::Fails;

Conformity of(const Predictive& predictive, ToleranceLimits limits, const ConformityOptions& options = {}) {
  return conformity(predictive, {&limits, 1}, options);
}

double probability(const Predictive& predictive, ToleranceLimits limits, Measurand measurand = Measurand::observation) {
  return of(predictive, limits, {.of = measurand}).probability(0, 0);
}

// A result of 13.6 with standard uncertainty 1.8 and limits of 12.5 and 16.3.
TEST(ConformityProbability, IsThatOfANormalDistribution) {
  EXPECT_NEAR(probability(test::one_normal(13.6, 1.8, 0), {.lower = 12.5, .upper = 16.3}), 0.6626, 5e-5);
}

TEST(ConformityProbability, OfTheFunctionLeavesTheNoiseOut) {
  EXPECT_NEAR(probability(test::one_normal(0, 100, 1), {.upper = 1.959963984540054}, Measurand::function), 0.975, 1e-12);
}

TEST(ConformityProbability, KeepsItsDigitsFarOut) {
  EXPECT_NEAR(probability(test::one_normal(0, 1, 0), {.lower = 10, .upper = 11}) / 7.6198530241605e-24, 1, 1e-3);
}

TEST(ConformityProbability, CountsTheLimitsThemselves) {
  const Predictive certain = test::one_normal(5, 1, 0);
  EXPECT_EQ(probability(certain, {.lower = 5}, Measurand::function), 1);
  EXPECT_EQ(probability(certain, {.upper = 5}, Measurand::function), 1);
  EXPECT_EQ(probability(certain, {.lower = 4, .upper = 5}, Measurand::function), 1);
  EXPECT_EQ(probability(certain, {.lower = 5.001}, Measurand::function), 0);
}

/// Two members that disagree, of unequal weight and noise.
Predictive lopsided() {
  return Predictive({.rows = 1,
                     .outputs = 1,
                     .weights = {0.7, 0.3},
                     .mean = {0, 3},
                     .aleatoric_variance = {1, 4},
                     .epistemic_variance = {0.25, 0.5}});
}

// 400,000 draws: a standard error of at most 0.0008.
TEST(ConformityProbability, IsTheShareOfDrawsWithinTheLimits) {
  constexpr std::size_t draws = 400000;
  std::vector<double> z(2 * draws);
  base::RandomStream random({.seed = 5});
  for (double& value : z) value = random.normal();
  std::size_t within = 0;
  for (std::size_t i = 0; i < draws; ++i) {
    const bool first = math::normal_cdf(z[2 * i]) < 0.7;
    const double value = (first ? 0 : 3) + std::sqrt(first ? 1.25 : 4.5) * z[2 * i + 1];
    within += value >= -1 && value <= 2.5 ? 1 : 0;
  }
  EXPECT_NEAR(probability(lopsided(), {.lower = -1, .upper = 2.5}), static_cast<double>(within) / draws, 4 * 0.0008);
}

TEST(ConformityProbability, OfOneLimitAndOfTheOtherAreOne) {
  const Predictive p = lopsided();
  for (const double limit : {-3.0, 0.0, 2.0, 7.0}) {
    EXPECT_NEAR(probability(p, {.lower = limit}) + probability(p, {.upper = limit}), 1, 1e-14);
  }
}

// A mean that lies a guard band inside its limit leaves exactly the risk beyond it.
TEST(GuardBand, LeavesTheRiskBeyondTheLimit) {
  const Conformity found = of(lopsided(), {.lower = -1, .upper = 5}, {.risk = 0.02});
  const double mean = 0.9;
  EXPECT_NEAR(probability(lopsided(), {.upper = mean + found.guard_upper(0, 0)}), 0.98, 1e-12);
  EXPECT_NEAR(probability(lopsided(), {.lower = mean - found.guard_lower(0, 0)}), 0.98, 1e-12);
}

TEST(GuardBand, OfANormalDistributionIsItsQuantile) {
  const Conformity found = of(test::one_normal(7, 2, 0), {.upper = 20}, {.risk = 0.025});
  EXPECT_NEAR(found.guard_upper(0, 0), 2 * 1.959963984540054, 1e-12);
  EXPECT_NEAR(found.guard_lower(0, 0), 2 * 1.959963984540054, 1e-12);
}

Statement statement_at(double mean, const ConformityOptions& options) {
  return of(test::one_normal(mean, 1, 0), {.upper = 10}, options).statement_at(0, 0);
}

// A risk of 0.05 keeps means 1.645 standard deviations away from their limit.
TEST(Statement, GoesFromPassToFailAsTheMeanCrossesTheLimit) {
  EXPECT_EQ(statement_at(8.35, {}), Statement::pass);
  EXPECT_EQ(statement_at(8.36, {}), Statement::conditional_pass);
  EXPECT_EQ(statement_at(10, {}), Statement::conditional_pass);
  EXPECT_EQ(statement_at(10.01, {}), Statement::conditional_fail);
  EXPECT_EQ(statement_at(11.64, {}), Statement::conditional_fail);
  EXPECT_EQ(statement_at(11.65, {}), Statement::fail);
}

TEST(Statement, OfASimpleDecisionLooksAtTheMeanAlone) {
  const ConformityOptions simple{.rule = DecisionRule::simple};
  EXPECT_EQ(statement_at(10, simple), Statement::pass);
  EXPECT_EQ(statement_at(10.01, simple), Statement::fail);
  EXPECT_EQ(of(test::one_normal(9, 1, 0), {.upper = 10}, simple).guard_upper(0, 0), 0);
}

// Both tails count: 0.04 beyond each limit are more than a risk of 0.05.
TEST(Statement, CountsBothTails) {
  const double limit = -math::normal_quantile(0.04);
  const Conformity found = of(test::one_normal(0, 1, 0), {.lower = -limit, .upper = limit});
  EXPECT_EQ(found.statement_at(0, 0), Statement::conditional_pass);
}

TEST(Conformity, LeavesOutputsWithoutLimitsAlone) {
  const Predictive two({.rows = 1,
                        .outputs = 2,
                        .weights = {1},
                        .mean = {0, 0},
                        .aleatoric_variance = {1, 1},
                        .epistemic_variance = {0, 0}});
  const ToleranceLimits limits[] = {{}, {.upper = 0}};
  const Conformity found = conformity(two, limits);
  EXPECT_EQ(found.probability(0, 0), 1);
  EXPECT_EQ(found.statement_at(0, 0), Statement::pass);
  EXPECT_DOUBLE_EQ(found.probability(0, 1), 0.5);
  EXPECT_EQ(found.statement_at(0, 1), Statement::conditional_pass);
}

TEST(Conformity, RefusesLimitsThatAreNone) {
  const Predictive p = test::one_normal(0, 1, 0);
  EXPECT_THAT([&] { of(p, {}); }, Fails(ErrorCode::usage, "no limit is given, expected a lower or an upper one"));
  EXPECT_THAT([&] { of(p, {.lower = 2, .upper = 1}); },
              Fails(ErrorCode::usage, "the lower limit 2 is not below the upper limit 1"));
  EXPECT_THAT([&] { of(p, {.lower = std::numeric_limits<double>::quiet_NaN()}); },
              Fails(ErrorCode::usage, "a limit is nan, expected a finite number"));
  EXPECT_THAT([&] { conformity(p, {}); },
              Fails(ErrorCode::usage, "limits of 0 outputs are given, expected 1, one for each output"));
  EXPECT_THAT([&] { of(p, {.upper = 1}, {.risk = 0.5}); },
              Fails(ErrorCode::usage, "risk is 0.5, expected a number between 0 and 0.5"));
}

}  // namespace
}  // namespace credens
