// SPDX-License-Identifier: Apache-2.0

#include "score/accumulators.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "math/statistics.hpp"

namespace credens::scoring {
namespace {

/// Values over many powers of ten.
std::vector<double> some_values(std::size_t count, std::uint64_t seed) {
  base::RandomStream random({.seed = seed, .purpose = base::Purpose::test});
  std::vector<double> values(count);
  for (double& value : values) value = std::exp(6 * random.normal());
  return values;
}

TEST(RunningMedian, IsExactWhileAllIsHeld) {
  const std::vector<double> values = some_values(1001, 1);
  const std::vector<double> weights = some_values(1001, 2);
  RunningMedian median(1001);
  for (std::size_t i = 0; i < values.size(); ++i) median.add(values[i], weights[i]);
  EXPECT_EQ(median.value(), math::weighted_median(values, weights));
}

TEST(RunningMedian, IsCloseWhenMoreComes) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::vector<double> values = some_values(2000, seed);
    std::vector<double> weights(2000, 1.0);
    if (seed % 2 == 1) weights = some_values(2000, seed + 100);
    RunningMedian median(100 * (seed % 20));
    for (std::size_t i = 0; i < values.size(); ++i) median.add(values[i], weights[i]);
    const double exact = math::weighted_median(values, weights);
    EXPECT_NEAR(median.value(), exact, exact / 8192);
  }
}

TEST(RunningMedian, TakesZerosAndValuesWithoutWeight) {
  RunningMedian median(2);
  for (int i = 0; i < 10; ++i) median.add(0.0, 1);
  for (int i = 0; i < 5; ++i) median.add(1e300, 1);
  for (int i = 0; i < 100; ++i) median.add(5, 0);
  EXPECT_EQ(median.value(), 0);
}

TEST(RunningMedian, TakesInfinityForWhatItIs) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  RunningMedian median(2);
  for (int i = 0; i < 10; ++i) median.add(infinity, 1);
  for (int i = 0; i < 5; ++i) median.add(1e300, 1);
  EXPECT_EQ(median.value(), infinity);
}

}  // namespace
}  // namespace credens::scoring
