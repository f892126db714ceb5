// SPDX-License-Identifier: Apache-2.0

#include "decide/goal.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/model/random_ensemble.hpp"

namespace credens::decide {
namespace {

struct Normal {
  double mean;
  double std;
};

constexpr Normal normals[] = {{0, 1}, {-2, 0.7}, {1.5, 0.4}, {0.3, 5}};
constexpr int draws = 200000;

/// E g(X) by draws, and its standard error.
template <class Function>
std::pair<double, double> monte_carlo(const Normal& normal, Function g) {
  base::RandomStream random = model::test_stream(3);
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < draws; ++i) {
    const double value = g(normal.mean + normal.std * random.normal());
    sum += value;
    squares += value * value;
  }
  const double mean = sum / draws;
  return {mean, std::sqrt((squares / draws - mean * mean) / draws)};
}

TEST(Goal, ExpectationsAgreeWithDraws) {
  for (const Normal& normal : normals) {
    const auto excess = monte_carlo(normal, [](double x) { return std::max(x, 0.0); });
    EXPECT_NEAR(expected_excess(normal.mean, normal.std), excess.first, 5 * excess.second);
    const auto distance = monte_carlo(normal, [](double x) { return std::abs(x); });
    EXPECT_NEAR(expected_distance(normal.mean, normal.std), distance.first, 5 * distance.second);
    const auto closeness = monte_carlo(normal, [](double x) { return std::max(0.8 - std::abs(x), 0.0); });
    EXPECT_NEAR(expected_closeness(normal.mean, normal.std, 0.8), closeness.first, 5 * closeness.second);
  }
}

TEST(Goal, WithoutIgnoranceNothingIsLeftToChance) {
  EXPECT_EQ(expected_excess(2, 0), 2);
  EXPECT_EQ(expected_excess(-2, 0), 0);
  EXPECT_EQ(expected_distance(-2, 0), 2);
  EXPECT_EQ(expected_closeness(0.25, 0, 1), 0.75);
  EXPECT_EQ(expected_closeness(3, 0, 1), 0);
  EXPECT_EQ(learnable_std(0, 0), 0);
}

TEST(Goal, OfPoorMeasurementsLessIsLearned) {
  EXPECT_EQ(learnable_std(4, 0), 2);
  EXPECT_EQ(learnable_std(4, 12), 1);
  EXPECT_LT(learnable_std(4, 1e12), 1e-5);
}

}  // namespace
}  // namespace credens::decide
