// SPDX-License-Identifier: Apache-2.0
//
// Distributions are judged with fixed seeds, so a test either always passes or always fails. Bounds are the 99.9 %
// points.

#include "base/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <vector>

#include "support/effort.hpp"
#include "support/reference.hpp"

namespace credens::base {
namespace {

const std::size_t many = 1'000'000 / test::stride_of_cases(10);

/// Upper bound of the distance sqrt(n) sup |F_n - F|.
constexpr double kolmogorov_bound = 1.95;

template <class Distribution>
double kolmogorov_distance(std::vector<double> draws, Distribution&& cdf) {
  std::sort(draws.begin(), draws.end());
  const auto count = static_cast<double>(draws.size());
  double distance = 0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double expected = cdf(draws[i]);
    distance =
        std::max({distance, expected - static_cast<double>(i) / count, static_cast<double>(i + 1) / count - expected});
  }
  return std::sqrt(count) * distance;
}

double chi_square(const std::vector<std::size_t>& counts, double expected) {
  double sum = 0;
  for (const std::size_t count : counts) {
    const double difference = static_cast<double>(count) - expected;
    sum += difference * difference / expected;
  }
  return sum;
}

/// Close to the 99.9 % point (Wilson and Hilferty).
double chi_square_bound(std::size_t cells) {
  const double freedom = static_cast<double>(cells) - 1;
  const double share = 2 / (9 * freedom);
  return freedom * std::pow(1 - share + 3.0902 * std::sqrt(share), 3);
}

double normal_cdf(double z) {
  return 0.5 * std::erfc(-z / std::sqrt(2.0));
}

TEST(RandomStream, GivesTheWordsOfNumpy) {
  const auto whole = [](const std::string& text) { return std::strtoull(text.c_str(), nullptr, 10); };
  for (const auto& line : test::reference_lines("philox.csv")) {
    RandomStream random({.seed = whole(line[0]),
                         .purpose = static_cast<Purpose>(whole(line[1])),
                         .member = whole(line[2]),
                         .attempt = whole(line[3]),
                         .epoch = whole(line[4])});
    for (const std::string& word : test::fields(line[5], ' ')) EXPECT_EQ(random.word(), whole(word)) << line[0];
  }
}

TEST(RandomStream, DependsOnItsNameAlone) {
  RandomStream a({.seed = 7, .purpose = Purpose::shuffle, .member = 3});
  RandomStream b({.seed = 7, .purpose = Purpose::shuffle, .member = 3});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(a.word(), b.word());
}

TEST(RandomStream, ChangesWithEachPartOfItsName) {
  const StreamName name{.seed = 7, .purpose = Purpose::shuffle, .member = 3, .attempt = 1, .epoch = 5};
  std::vector<StreamName> others(5, name);
  others[0].seed = 8;
  others[1].purpose = Purpose::split;
  others[2].member = 4;
  others[3].attempt = 2;
  others[4].epoch = 6;
  const std::uint64_t first = RandomStream(name).word();
  for (const StreamName& other : others) EXPECT_NE(RandomStream(other).word(), first);
}

TEST(RandomStream, UniformIsUniform) {
  RandomStream random({.seed = 1});
  std::vector<double> draws(many);
  for (double& draw : draws) {
    draw = random.uniform();
    ASSERT_GE(draw, 0);
    ASSERT_LT(draw, 1);
    ASSERT_EQ(std::ldexp(draw, 53), std::floor(std::ldexp(draw, 53)));
  }
  EXPECT_LT(kolmogorov_distance(draws, [](double u) { return u; }), kolmogorov_bound);
}

TEST(RandomStream, UniformFillsTheRangeAskedFor) {
  RandomStream random({.seed = 2});
  std::vector<double> draws(many);
  for (double& draw : draws) draw = random.uniform(-3, 5);
  EXPECT_LT(kolmogorov_distance(draws, [](double u) { return (u + 3) / 8; }), kolmogorov_bound);
}

TEST(RandomStream, NormalIsNormal) {
  RandomStream random({.seed = 3});
  std::vector<double> draws(many);
  for (double& draw : draws) draw = random.normal();
  EXPECT_LT(kolmogorov_distance(draws, normal_cdf), kolmogorov_bound);
}

TEST(RandomStream, NormalFillsEveryQuantileEqually) {
  RandomStream random({.seed = 4});
  constexpr std::size_t cells = 100;
  std::vector<std::size_t> counts(cells);
  for (std::size_t i = 0; i < many; ++i) ++counts[static_cast<std::size_t>(cells * normal_cdf(random.normal()))];
  EXPECT_LT(chi_square(counts, static_cast<double>(many) / cells), chi_square_bound(cells));
}

TEST(RandomStream, NormalReachesTheTailsAsOftenAsItShould) {
  RandomStream random({.seed = 5});
  double below = 0;
  double above = 0;
  for (std::size_t i = 0; i < many; ++i) {
    const double z = random.normal();
    below += z < -3.5 ? 1 : 0;
    above += z > 3.5 ? 1 : 0;
  }
  const double expected = static_cast<double>(many) * normal_cdf(-3.5);
  EXPECT_NEAR(below, expected, 3.3 * std::sqrt(expected));
  EXPECT_NEAR(above, expected, 3.3 * std::sqrt(expected));
}

TEST(RandomStream, NormalInvertsTheDistributionFunctionOfItsWord) {
  RandomStream random({.seed = 6});
  RandomStream words({.seed = 6});
  for (int i = 0; i < 1000; ++i) {
    const double u = (static_cast<double>(words.word() >> 12) + 0.5) * 0x1p-52;
    EXPECT_NEAR(normal_cdf(random.normal()), u, 1e-14 * u + 1e-16);
  }
}

TEST(RandomStream, BelowIsUniform) {
  for (const std::uint64_t bound : {2U, 3U, 7U, 10U, 1000U}) {
    RandomStream random({.seed = 7, .member = bound});
    std::vector<std::size_t> counts(bound);
    for (std::size_t i = 0; i < many; ++i) ++counts.at(random.below(bound));
    EXPECT_LT(chi_square(counts, static_cast<double>(many) / static_cast<double>(bound)), chi_square_bound(bound))
        << bound;
  }
}

TEST(RandomStream, BelowKeepsToItsBound) {
  RandomStream random({.seed = 8});
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(random.below(1), 0U);
    EXPECT_LT(random.below((1ULL << 63) + 1), (1ULL << 63) + 1);
  }
}

TEST(Permutation, HoldsEveryIndexOnce) {
  RandomStream random({.seed = 1});
  auto order = permutation(100, random);
  std::sort(order.begin(), order.end());
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(order[i], i);
}

TEST(Permutation, OfNothingIsEmpty) {
  RandomStream random({.seed = 1});
  EXPECT_TRUE(permutation(0, random).empty());
}

TEST(Permutation, GivesEveryOrderEquallyOften) {
  RandomStream random({.seed = 9});
  constexpr std::size_t orders = 24;
  constexpr std::size_t draws = 100 * orders * orders;
  std::map<std::vector<std::uint32_t>, std::size_t> seen;
  for (std::size_t i = 0; i < draws; ++i) ++seen[permutation(4, random)];
  std::vector<std::size_t> counts;
  for (const auto& [order, count] : seen) counts.push_back(count);
  ASSERT_EQ(counts.size(), orders);
  EXPECT_LT(chi_square(counts, static_cast<double>(draws) / orders), chi_square_bound(orders));
}

TEST(Shuffle, BringsEveryValueToEveryPlaceEquallyOften) {
  RandomStream random({.seed = 10});
  constexpr std::size_t size = 20;
  constexpr std::size_t draws = 20'000;
  std::vector<std::size_t> places_of_first(size);
  for (std::size_t i = 0; i < draws; ++i) {
    const auto order = permutation(size, random);
    ++places_of_first[static_cast<std::size_t>(std::find(order.begin(), order.end(), 0U) - order.begin())];
  }
  EXPECT_LT(chi_square(places_of_first, static_cast<double>(draws) / size), chi_square_bound(size));
}

}  // namespace
}  // namespace credens::base
