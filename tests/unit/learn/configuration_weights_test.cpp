// SPDX-License-Identifier: Apache-2.0

#include "learn/configuration_weights.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "math/normal.hpp"
#include "unit/learn/made_up_members.hpp"

namespace credens::learn {
namespace {

/// Two outputs, three configurations whose means are off by different amounts and whose noise is of different size;
/// rows of different weight, some of them held out by members of some configurations only, or by two of one.
HeldOut uneven() {
  HeldOut held = made_up({.rows = 60, .members = 6, .configurations = 3, .outputs = 2});
  base::RandomStream random = random_stream(5);
  for (double& target : held.targets.values()) target = random.normal();
  for (double& weight : held.weights) weight = random.uniform(0.5, 2);
  for (std::size_t l = 0; l < held.members.size(); ++l) {
    MemberAtRows& member = held.members[l];
    for (std::size_t r = 0; r < held.rows(); ++r) {
      const double spread = 0.3 + 0.4 * static_cast<double>(member.configuration);
      for (std::size_t k = 0; k < 2; ++k) member.mean(r, k) = held.targets(r, k) + spread * random.normal();
    }
  }
  held.pair_member.clear();
  held.first_pair = {0};
  for (std::size_t r = 0; r < held.rows(); ++r) {
    for (std::uint32_t l = 0; l < held.members.size(); ++l) {
      if (l == r % 6 || l == (2 * r + 1) % 6 || l == (r / 6) % 6) held.pair_member.push_back(l);
    }
    held.first_pair.push_back(held.pair_member.size());
  }
  return held;
}

std::vector<double> densities(const HeldOut& held, double slope) {
  std::vector<double> log_density;
  for (std::size_t r = 0; r < held.rows(); ++r) {
    for (const std::uint32_t l : held.members_of(r)) {
      const MemberAtRows& member = held.members[l];
      const double variance = 0.05 + slope * static_cast<double>(member.configuration);
      log_density.push_back(0);
      for (std::size_t k = 0; k < held.outputs(); ++k) {
        log_density.back() += math::normal_log_density(held.targets(r, k), member.mean(r, k), variance);
      }
    }
  }
  return log_density;
}

/// J as the header says it, pair by pair.
double plain_objective(const HeldOut& held, const std::vector<double>& log_density, const std::vector<double>& w) {
  const double total = std::accumulate(held.weights.begin(), held.weights.end(), 0.0);
  double value = 0;
  std::vector<double> mse(held.outputs(), 1e-6);
  for (std::size_t r = 0; r < held.rows(); ++r) {
    std::vector<double> replicates(w.size());
    for (const std::uint32_t l : held.members_of(r)) replicates[held.members[l].configuration] += 1;
    double weights = 0;
    double density = 0;
    std::vector<double> mean(held.outputs());
    for (std::size_t c = held.first_pair[r]; c < held.first_pair[r + 1]; ++c) {
      const MemberAtRows& member = held.members[held.pair_member[c]];
      const double weight = w[member.configuration] / replicates[member.configuration];
      weights += weight;
      density += weight * std::exp(log_density[c]);
      for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += weight * member.mean(r, k);
    }
    value -= held.weights[r] / total * std::log(density / weights);
    for (std::size_t k = 0; k < mean.size(); ++k) {
      mse[k] += held.weights[r] / total * std::pow(held.targets(r, k) - mean[k] / weights, 2);
    }
  }
  for (const double error : mse) value += std::log(error) / 2;
  for (const double weight : w) value -= std::log(weight) / total;
  return value;
}

TEST(BestKindWeights, AreBestOfAFineGrid) {
  const HeldOut held = uneven();
  for (const double slope : {0.05, 0.4}) {
    const std::vector<double> log_density = densities(held, slope);
    const std::vector<double> found = best_configuration_weights(held, log_density, {0.2, 0.3, 0.5});
    EXPECT_NEAR(std::accumulate(found.begin(), found.end(), 0.0), 1, 1e-12);
    const double reached = plain_objective(held, log_density, found);
    constexpr int cells = 200;
    for (int i = 1; i < cells; ++i) {
      for (int j = 1; i + j < cells; ++j) {
        const std::vector<double> w{i / double{cells}, j / double{cells}, (cells - i - j) / double{cells}};
        ASSERT_GE(plain_objective(held, log_density, w), reached - 1e-7) << i << ' ' << j;
      }
    }
  }
}

TEST(BestKindWeights, DoNotDependOnWhereTheyStart) {
  const HeldOut held = uneven();
  const std::vector<double> log_density = densities(held, 0.1);
  const std::vector<double> a = best_configuration_weights(held, log_density, {0.9, 0.05, 0.05});
  const std::vector<double> b = best_configuration_weights(held, log_density, {0.05, 0.05, 0.9});
  for (std::size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j], b[j], 1e-3);
}

TEST(BestKindWeights, CountTheErrorOfTheMeanBesideTheDensity) {
  HeldOut held = made_up({.rows = 400, .members = 2, .configurations = 2});
  base::RandomStream random = random_stream(6);
  for (double& target : held.targets.values()) target = random.normal();
  for (double& mean : held.members[1].mean.values()) mean = 2 * random.normal();
  const std::vector<double> no_difference(held.pairs(), -1.0);  // the densities cannot tell the configurations apart
  EXPECT_GT(best_configuration_weights(held, no_difference, {0.5, 0.5})[0], 0.9);
}

TEST(BestKindWeights, StandMembersWithoutAnyError) {
  const HeldOut held = made_up({.rows = 50, .members = 2, .configurations = 2});
  const std::vector<double> same(held.pairs(), 3.0);
  for (const double weight : best_configuration_weights(held, same, {0.5, 0.5})) EXPECT_NEAR(weight, 0.5, 1e-9);
}

TEST(BestKindWeights, OfOneKindAreOne) {
  const HeldOut held = made_up({.rows = 5, .members = 1});
  EXPECT_EQ(best_configuration_weights(held, std::vector<double>(5, -1.0), {1}), std::vector<double>{1});
}

}  // namespace
}  // namespace credens::learn
