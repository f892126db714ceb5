// SPDX-License-Identifier: Apache-2.0

#include <credens/budget.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include <credens/uncertain_inputs.hpp>

#include "support/error_matchers.hpp"
#include "unit/decide/one_normal.hpp"
#include "unit/model/random_ensemble.hpp"

namespace credens {
namespace {

using test::Fails;

std::vector<std::string> names_of(const Budget& budget) {
  std::vector<std::string> names;
  for (const Contribution& contribution : budget.contributions) names.push_back(contribution.name);
  return names;
}

// Of a normal distribution all intervals are mean +- 1.96 u.
TEST(Budget, OfANormalDistributionIsKnown) {
  const Budget found = budget(test::one_normal(10, 3, 4));
  EXPECT_EQ(names_of(found), (std::vector<std::string>{"noise", "between members", "within members"}));
  EXPECT_DOUBLE_EQ(found.contributions[0].std(0, 0), 3);
  EXPECT_EQ(found.contributions[1].std(0, 0), 0);
  EXPECT_DOUBLE_EQ(found.contributions[2].std(0, 0), 4);
  EXPECT_DOUBLE_EQ(found.total_std(0, 0), 5);
  EXPECT_NEAR(found.coverage_factor(0, 0), 1.959963984540054, 1e-9);
  EXPECT_NEAR(found.expanded(0, 0), 9.79981992270027, 1e-8);
  EXPECT_NEAR(found.symmetric.upper(0, 0), 19.79981992270027, 1e-8);
  EXPECT_NEAR(found.shortest.upper(0, 0), 19.79981992270027, 1e-5);
}

TEST(Budget, OfTheFunctionHasNoNoise) {
  const Budget found = budget(test::one_normal(10, 3, 4), {.of = Measurand::function});
  EXPECT_EQ(names_of(found), (std::vector<std::string>{"between members", "within members"}));
  EXPECT_DOUBLE_EQ(found.total_std(0, 0), 4);
  EXPECT_NEAR(found.coverage_factor(0, 0), 1.959963984540054, 1e-9);
}

TEST(Budget, OfAValueKnownForCertainIsEmpty) {
  const Budget found = budget(test::one_normal(10, 3, 0), {.of = Measurand::function});
  EXPECT_EQ(found.total_std(0, 0), 0);
  EXPECT_EQ(found.coverage_factor(0, 0), 0);
  EXPECT_NEAR(found.expanded(0, 0), 0, 1e-300);
}

// Squares of what adds up make that of the total, which is the predictive's own; the intervals hold the level.
TEST(Budget, AddsUp) {
  const Ensemble ensemble = model::random_ensemble({});
  const Matrix inputs = model::random_matrix(6, 3, 3);
  const UncertainInputs uncertain{.columns = {0, 2}, .std = Matrix(1, 2, 0.2)};
  for (const InputMethod method : {InputMethod::draws, InputMethod::first_order}) {
    const Predictive p = predict(ensemble, inputs, uncertain, {.method = method});
    const Budget found = budget(p, {.level = 0.9});
    EXPECT_EQ(names_of(found),
              (std::vector<std::string>{"noise", "between members", "within members", "inputs", "input 0", "input 2"}));
    const Matrix total = p.total_variance();
    const Matrix cdf_low = p.cdf(found.shortest.lower);
    const Matrix cdf_high = p.cdf(found.shortest.upper);
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t k = 0; k < 2; ++k) {
        double sum = 0;
        for (const Contribution& c : found.contributions) sum += c.adds_up ? c.std(i, k) * c.std(i, k) : 0;
        EXPECT_NEAR(sum, total(i, k), 1e-12 * sum);
        EXPECT_NEAR(found.total_std(i, k) * found.total_std(i, k), total(i, k), 1e-12 * sum);
        EXPECT_NEAR(cdf_high(i, k) - cdf_low(i, k), 0.9, 1e-9);
        EXPECT_LE(found.shortest.upper(i, k) - found.shortest.lower(i, k),
                  found.symmetric.upper(i, k) - found.symmetric.lower(i, k));
        EXPECT_NEAR(found.expanded(i, k), found.coverage_factor(i, k) * found.total_std(i, k),
                    1e-12 * found.expanded(i, k));
      }
    }
  }
}

TEST(Budget, DoesNotDependOnThreads) {
  const Predictive p = model::random_ensemble({}).predict(model::random_matrix(50, 3, 3));
  EXPECT_EQ(budget(p, {.threads = 1}).shortest.lower, budget(p, {.threads = 3}).shortest.lower);
  EXPECT_EQ(budget(p, {.threads = 1}).expanded, budget(p, {.threads = 3}).expanded);
}

TEST(Budget, RefusesALevelThatIsNone) {
  EXPECT_THAT([] { budget(test::one_normal(0, 1, 1), {.level = 1}); }, Fails(ErrorCode::usage, "level is 1"));
  EXPECT_THAT([] { shortest_interval(test::one_normal(0, 1, 1), 0); }, Fails(ErrorCode::usage, "level is 0"));
}

}  // namespace
}  // namespace credens
