// SPDX-License-Identifier: Apache-2.0

#include <credens/problems.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/error_matchers.hpp"

namespace credens {
namespace {

using testing::ElementsAre;

struct Moments {
  double mean = 0;
  double std = 0;
};

Moments noise_of(const SimulatedData& simulated) {
  const auto rows = static_cast<double>(simulated.data.rows());
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < simulated.data.rows(); ++i) {
    const double noise = simulated.data.targets()(i, 0) - simulated.truth(i, 0);
    sum += noise;
    squares += noise * noise;
  }
  return {sum / rows, std::sqrt(squares / rows)};
}

TEST(Figure1Problem, HasThePapersFunction) {
  const SimulatedData simulated = figure1_problem(50, 1);
  for (std::size_t i = 0; i < 50; ++i) {
    const double x = simulated.data.inputs()(i, 0);
    EXPECT_GE(x, -1);
    EXPECT_LT(x, 1);
    EXPECT_NEAR(simulated.truth(i, 0), 0.5 * (std::pow(4.5 * x, 4) - std::pow(18 * x, 2) + 22.5 * x), 1e-11);
  }
  EXPECT_THAT(simulated.data.input_names(), ElementsAre("x"));
  EXPECT_THAT(simulated.data.target_names(), ElementsAre("y"));
}

TEST(Figure2Problem, HasThePapersFunction) {
  const SimulatedData simulated = figure2_problem(50, 1);
  for (std::size_t i = 0; i < 50; ++i) {
    double eta = 0;
    for (const double x : simulated.data.inputs().row(i)) eta += std::pow(1.5 * x - 1, 2) * std::pow(1.3 * x + 1, 2);
    EXPECT_NEAR(simulated.truth(i, 0), eta, 1e-13);
  }
  EXPECT_THAT(simulated.data.input_names(), ElementsAre("x1", "x2"));
}

// Five standard errors of mean and standard deviation.
TEST(Problems, HaveThePapersNoise) {
  constexpr std::size_t rows = 20000;
  const double relative = 5 / std::sqrt(static_cast<double>(rows));
  const Moments first = noise_of(figure1_problem(rows, 3));
  EXPECT_NEAR(first.mean, 0, 10 * relative);
  EXPECT_NEAR(first.std, 10, 10 * relative);
  const Moments second = noise_of(figure2_problem(rows, 3));
  EXPECT_NEAR(second.mean, 0, 0.2 * relative);
  EXPECT_NEAR(second.std, 0.2, 0.2 * relative);
}

TEST(Problems, DependOnTheSeedAlone) {
  EXPECT_EQ(figure1_problem(20, 5).data.fingerprint(), figure1_problem(20, 5).data.fingerprint());
  EXPECT_NE(figure1_problem(20, 5).data.fingerprint(), figure1_problem(20, 6).data.fingerprint());
}

TEST(Problems, StartWithTheSmallerSample) {
  const SimulatedData small = figure2_problem(10, 5);
  const SimulatedData large = figure2_problem(30, 5);
  const std::vector<std::size_t> first_rows = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(large.data.select(first_rows).fingerprint(), small.data.fingerprint());
}

/// Distance of a row from the half circle of its class: below, above or beside the arc from one of its ends.
double distance_from_moon(double x1, double x2, bool is_lower) {
  const double across = is_lower ? x1 - 1 : x1;
  const double up = is_lower ? 0.5 - x2 : x2;
  if (up < 0) return std::min(std::hypot(across - 1, up), std::hypot(across + 1, up));
  return std::abs(std::hypot(across, up) - 1);
}

// The mean square distance from a line is that of one coordinate; ends of arcs and curvature change it a little.
TEST(TwoMoons, ScatterAroundTheirHalfCircles) {
  constexpr std::size_t rows = 20000;
  const Dataset moons = two_moons(rows, 3);
  double squares = 0;
  double lower = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const bool is_lower = moons.targets()(row, 0) == 1;
    const double distance = distance_from_moon(moons.inputs()(row, 0), moons.inputs()(row, 1), is_lower);
    squares += distance * distance;
    lower += is_lower ? 1 : 0;
  }
  EXPECT_NEAR(std::sqrt(squares / rows), 0.25, 0.015);
  EXPECT_NEAR(lower / rows, 0.5, 2.5 / std::sqrt(static_cast<double>(rows)));
}

TEST(TwoMoons, AreAClassification) {
  const Dataset moons = two_moons(30, 5);
  EXPECT_EQ(moons.task(), Task::classification);
  EXPECT_THAT(moons.classes(), ElementsAre("upper", "lower"));
  EXPECT_THAT(moons.input_names(), ElementsAre("x1", "x2"));
  const std::vector<std::size_t> first_rows = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(moons.select(first_rows).fingerprint(), two_moons(10, 5).fingerprint());
  EXPECT_NE(two_moons(10, 6).fingerprint(), two_moons(10, 5).fingerprint());
}

TEST(Problems, RefuseNoRows) {
  EXPECT_THAT([] { figure1_problem(0, 1); }, test::Fails(ErrorCode::usage, "0 rows, expected at least 1"));
  EXPECT_THAT([] { two_moons(0, 1); }, test::Fails(ErrorCode::usage, "0 rows, expected at least 1"));
}

}  // namespace
}  // namespace credens
