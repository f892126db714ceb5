// SPDX-License-Identifier: Apache-2.0

#include "learn/expectation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "base/random.hpp"

namespace credens::learn {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

/// Mixtures of `members` at rows that are drawn from normal numbers, and what was observed there.
struct Drawn {
  Drawn(std::size_t rows, std::size_t outputs, std::vector<double> weights, std::uint64_t seed, double spread = 1)
      : targets(rows, outputs), row_weights(rows, 1.0), members(rows) {
    base::RandomStream random({.seed = seed, .purpose = base::Purpose::test});
    MixtureComponents components{.rows = rows, .outputs = outputs, .weights = std::move(weights)};
    for (std::size_t row = 0; row < rows; ++row) {
      for (double& target : targets.row(row)) target = random.normal();
      for (std::size_t i = 0; i < components.weights.size() * outputs; ++i) {
        components.mean.push_back(spread * random.normal());
        components.aleatoric_variance.push_back(std::exp(random.normal()));
        components.epistemic_variance.push_back(std::exp(random.normal()) / 4);
      }
      members[row].resize(components.weights.size());
      std::iota(members[row].begin(), members[row].end(), std::size_t{0});
    }
    all = Predictive(std::move(components));
  }

  Expectation expectation() const {
    ExpectationScorer scorer(targets.cols(), all.components().weights);
    scorer.add(all, targets, row_weights, members, units, 1);
    return *scorer.expectation();
  }

  std::size_t at(std::size_t row, std::size_t l, std::size_t k) const {
    return (row * all.members() + l) * all.outputs() + k;
  }

  Predictive all;
  Matrix targets;
  std::vector<double> row_weights;
  std::vector<std::vector<std::size_t>> members;
  std::vector<std::uint32_t> units = {};
};

/// Plain sums over the members of one row that was held out of some of them.
struct PlainRow {
  double mean = 0;
  double aleatoric = 0;
  double second = 0;  ///< E[m^2] + widths
  double density = 0;

  PlainRow(const Drawn& drawn, std::size_t row, std::size_t k, const std::vector<std::size_t>& members) {
    const MixtureComponents& c = drawn.all.components();
    double sum = 0;
    for (const std::size_t l : members) sum += c.weights[l];
    for (const std::size_t l : members) {
      const std::size_t at = drawn.at(row, l, k);
      const double w = c.weights[l] / sum;
      const double variance = c.aleatoric_variance[at] + c.epistemic_variance[at];
      const double z = drawn.targets(row, k) - c.mean[at];
      mean += w * c.mean[at];
      aleatoric += w * c.aleatoric_variance[at];
      second += w * (c.mean[at] * c.mean[at] + c.epistemic_variance[at]);
      density += w * std::exp(-z * z / (2 * variance)) / std::sqrt(2 * std::numbers::pi * variance);
    }
  }

  double epistemic() const { return second - mean * mean; }
};

double plain_mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double plain_error(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += (value - plain_mean(values)) * (value - plain_mean(values));
  const auto n = static_cast<double>(values.size());
  return std::sqrt(squares / (n - 1) / n);
}

TEST(Expectation, IsThatOfPlainSumsWhereAllMembersAreHeldOut) {
  const Drawn drawn(300, 2, {0.5, 0.3, 0.2}, 1);
  const Expectation expected = drawn.expectation();
  EXPECT_EQ(expected.rows, 300U);
  ASSERT_EQ(expected.outputs.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    std::vector<double> squared, absolute, nll, inside, aleatoric, epistemic, spread;
    double mean_target = 0;
    for (std::size_t row = 0; row < 300; ++row) mean_target += drawn.targets(row, k) / 300;
    for (std::size_t row = 0; row < 300; ++row) {
      const PlainRow plain(drawn, row, k, drawn.members[row]);
      const double error = drawn.targets(row, k) - plain.mean;
      squared.push_back(error * error);
      absolute.push_back(std::abs(error));
      nll.push_back(-std::log(plain.density));
      aleatoric.push_back(plain.aleatoric);
      epistemic.push_back(plain.epistemic());
      inside.push_back(std::abs(error) <= 1.959963984540054 * std::sqrt(plain.aleatoric + plain.epistemic()) ? 1 : 0);
      spread.push_back((drawn.targets(row, k) - mean_target) * (drawn.targets(row, k) - mean_target));
    }
    const OutputExpectation& output = expected.outputs[k];
    EXPECT_NEAR(output.rmse.value, std::sqrt(plain_mean(squared)), 1e-12);
    EXPECT_NEAR(output.rmse.standard_error, plain_error(squared) / (2 * std::sqrt(plain_mean(squared))), 1e-12);
    EXPECT_NEAR(output.mae.value, plain_mean(absolute), 1e-12);
    EXPECT_NEAR(output.mae.standard_error, plain_error(absolute), 1e-12);
    EXPECT_NEAR(output.nll.value, plain_mean(nll), 1e-12);
    EXPECT_NEAR(output.nll.standard_error, plain_error(nll), 1e-12);
    EXPECT_NEAR(output.coverage.value, plain_mean(inside), 1e-12);
    EXPECT_NEAR(output.aleatoric_std.value, std::sqrt(plain_mean(aleatoric)), 1e-12);
    EXPECT_NEAR(output.epistemic_std.value, std::sqrt(plain_mean(epistemic)), 1e-12);
    EXPECT_NEAR(output.r2.value, 1 - plain_mean(squared) / plain_mean(spread), 1e-12);
  }
}

/// CRPS = E|X - y| - E|X - X'| / 2, here by draws from the mixtures.
TEST(Expectation, HasTheCrpsThatDrawsGive) {
  const Drawn drawn(40, 1, {0.6, 0.4}, 2);
  base::RandomStream random({.seed = 3, .purpose = base::Purpose::test});
  const auto draw = [&](std::size_t row) {
    const std::size_t at = drawn.at(row, random.uniform(0, 1) < 0.6 ? 0 : 1, 0);
    const MixtureComponents& c = drawn.all.components();
    return c.mean[at] + std::sqrt(c.aleatoric_variance[at] + c.epistemic_variance[at]) * random.normal();
  };
  constexpr int draws = 20'000;
  double crps = 0;
  for (std::size_t row = 0; row < 40; ++row) {
    for (int i = 0; i < draws; ++i) {
      const double x = draw(row);
      crps += (std::abs(x - drawn.targets(row, 0)) - std::abs(x - draw(row)) / 2) / draws / 40;
    }
  }
  EXPECT_NEAR(drawn.expectation().outputs[0].crps.value, crps, 0.01);
}

/// The standard error of R2 is the spread of R2 over tables of as many rows.
TEST(Expectation, ErrorsAreThoseOfRepeatedTables) {
  std::vector<double> rmse, r2, nll, coverage, errors_rmse, errors_r2, errors_nll, errors_coverage;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Drawn drawn(100, 1, {0.7, 0.3}, 100 + seed, 0.3);
    const OutputExpectation output = drawn.expectation().outputs[0];
    rmse.push_back(output.rmse.value);
    r2.push_back(output.r2.value);
    nll.push_back(output.nll.value);
    coverage.push_back(output.coverage.value);
    errors_rmse.push_back(output.rmse.standard_error);
    errors_r2.push_back(output.r2.standard_error);
    errors_nll.push_back(output.nll.standard_error);
    errors_coverage.push_back(output.coverage.standard_error);
  }
  const auto spread = [](const std::vector<double>& values) {
    return plain_error(values) * std::sqrt(static_cast<double>(values.size()));
  };
  EXPECT_NEAR(plain_mean(errors_rmse) / spread(rmse), 1, 0.15);
  EXPECT_NEAR(plain_mean(errors_r2) / spread(r2), 1, 0.15);
  EXPECT_NEAR(plain_mean(errors_nll) / spread(nll), 1, 0.15);
  EXPECT_NEAR(plain_mean(errors_coverage) / spread(coverage), 1, 0.25);  // one row each way more
}

/// Every row four times, those of one row as one unit.
Drawn repeated(const Drawn& once) {
  constexpr std::size_t times = 4;
  Drawn found = once;
  const std::size_t rows = once.targets.rows();
  MixtureComponents components = once.all.components();
  components.rows = rows * times;
  for (auto* values : {&components.mean, &components.aleatoric_variance, &components.epistemic_variance}) {
    const std::vector<double> block = *values;
    for (std::size_t time = 1; time < times; ++time) values->insert(values->end(), block.begin(), block.end());
  }
  found.all = Predictive(std::move(components));
  found.targets = Matrix(rows * times, once.targets.cols());
  found.row_weights.clear();
  found.members.clear();
  for (std::size_t i = 0; i < rows * times; ++i) {
    std::ranges::copy(once.targets.row(i % rows), found.targets.row(i).begin());
    found.row_weights.push_back(once.row_weights[i % rows]);
    found.members.push_back(once.members[i % rows]);
    found.units.push_back(static_cast<std::uint32_t>(i % rows));
  }
  return found;
}

TEST(Expectation, RowsOfOneUnitAreNoFurtherWitnesses) {
  const Drawn once(60, 2, {0.7, 0.3}, 9);
  const Expectation one = once.expectation();
  const Expectation four = repeated(once).expectation();
  EXPECT_NEAR(four.nll.standard_error, one.nll.standard_error, 1e-12);
  for (std::size_t k = 0; k < 2; ++k) {
    for (const auto score : {&OutputExpectation::rmse, &OutputExpectation::r2, &OutputExpectation::mae,
                             &OutputExpectation::crps, &OutputExpectation::nll, &OutputExpectation::aleatoric_std}) {
      EXPECT_NEAR((four.outputs[k].*score).value, (one.outputs[k].*score).value, 1e-12);
      EXPECT_NEAR((four.outputs[k].*score).standard_error, (one.outputs[k].*score).standard_error, 1e-12);
    }
    EXPECT_NEAR(four.outputs[k].coverage.standard_error / one.outputs[k].coverage.standard_error, 1, 0.02);
  }
  Drawn apart = repeated(once);
  apart.units.clear();
  EXPECT_NEAR(apart.expectation().outputs[0].rmse.standard_error / one.outputs[0].rmse.standard_error, 0.5, 0.01);
}

TEST(Expectation, CountsARowOfWeightTwoAsTheRowTwice) {
  Drawn once(50, 1, {0.5, 0.5}, 4);
  for (std::size_t row = 0; row < 25; ++row) once.row_weights[row] = 2;
  ExpectationScorer scorer(1, {0.5, 0.5});
  scorer.add(once.all, once.targets, std::vector<double>(50, 1.0), once.members, {}, 1);
  const Predictive all = once.all;
  MixtureComponents first = all.components();
  first.rows = 25;
  for (auto* values : {&first.mean, &first.aleatoric_variance, &first.epistemic_variance}) values->resize(50);
  const Predictive half{std::move(first)};
  scorer.add(half, MatrixView(once.targets).row_block(0, 25), std::vector<double>(25, 1.0),
             std::span(once.members).first(25), {}, 1);
  const OutputExpectation twice = scorer.expectation()->outputs[0];
  const OutputExpectation weighted = once.expectation().outputs[0];
  EXPECT_DOUBLE_EQ(weighted.rmse.value, twice.rmse.value);
  EXPECT_DOUBLE_EQ(weighted.r2.value, twice.r2.value);
  EXPECT_DOUBLE_EQ(weighted.crps.value, twice.crps.value);
  EXPECT_DOUBLE_EQ(weighted.coverage.value, twice.coverage.value);
}

TEST(SizeCorrection, GoesFromEqualMembersToAllOfThem) {
  const std::vector<double> weights(12, 1.0 / 12);
  const SizeCorrection correction = size_correction(std::vector<std::size_t>{0, 3, 6, 9}, weights);
  EXPECT_THAT(correction.halves[0], ElementsAre(0U, 6U));
  EXPECT_THAT(correction.halves[1], ElementsAre(3U, 9U));
  EXPECT_DOUBLE_EQ(correction.shares[0], 0.5);
  EXPECT_THAT(correction.reach, DoubleNear((1.0 / 4 - 1.0 / 12) / (1.0 / 2 - 1.0 / 4), 1e-12));
}

TEST(SizeCorrection, IsNoneForOneMemberAndForAll) {
  EXPECT_EQ(size_correction(std::vector<std::size_t>{2}, std::vector(4, 0.25)).reach, 0);
  EXPECT_EQ(size_correction(std::vector<std::size_t>{0, 1, 2, 3}, std::vector(4, 0.25)).reach, 0);
}

TEST(SizeCorrection, NeverReachesFarWhereOneMemberDecides) {
  const double reach = size_correction(std::vector<std::size_t>{0, 1}, std::vector{0.49, 0.01, 0.5}).reach;
  EXPECT_EQ(reach, 1);
}

/// Members err independently, so the mean squared error is linear in 1 / members; members of a known number are
/// compared with what four of them foretell. Without the correction the error would be too large by 0.077.
TEST(Expectation, OfFourMembersForetellsThatOfTwelve) {
  Drawn drawn(20'000, 1, std::vector(12, 1.0 / 12), 5);
  const OutputExpectation of_all = drawn.expectation().outputs[0];
  for (std::size_t row = 0; row < drawn.members.size(); ++row) {
    drawn.members[row] = {row % 3, 3 + row % 3, 6 + row % 3, 9 + row % 3};
  }
  const OutputExpectation foretold = drawn.expectation().outputs[0];
  EXPECT_NEAR(foretold.rmse.value, of_all.rmse.value, 0.01);
  EXPECT_NEAR(foretold.epistemic_std.value, of_all.epistemic_std.value, 0.01);
  EXPECT_NEAR(foretold.crps.value, of_all.crps.value, 0.01);
  EXPECT_NEAR(foretold.nll.value, of_all.nll.value, 0.02);
}

/// The 95 % intervals of four members hold fewer rows than those of twelve, and both hold fewer than all.
TEST(Expectation, OfFourMembersForetellsTheCoverageOfTwelve) {
  Drawn drawn(20'000, 1, std::vector(12, 1.0 / 12), 6, 0.5);
  const double of_all = drawn.expectation().outputs[0].coverage.value;
  for (std::size_t row = 0; row < drawn.members.size(); ++row) {
    drawn.members[row] = {row % 3, 3 + row % 3, 6 + row % 3, 9 + row % 3};
  }
  EXPECT_NEAR(drawn.expectation().outputs[0].coverage.value, of_all, 0.004);
}

/// At one row in twenty only one member in ten expects what was observed, which is hundreds of nats away from the
/// others: a line through the scores of five and ten members would foretell a density that no member has.
TEST(Expectation, OfRowsThatOneMemberExpectsIsNoBetterThanTheMembers) {
  Drawn drawn(2'000, 1, std::vector(100, 0.01), 7, 0.1);
  MixtureComponents components = drawn.all.components();
  for (double& variance : components.aleatoric_variance) variance = 1;
  for (double& variance : components.epistemic_variance) variance = 0.01;
  for (std::size_t row = 0; row < 2'000; row += 20) {
    drawn.targets(row, 0) = 50;
    for (std::size_t l = row / 20 % 10; l < 100; l += 10) components.mean[drawn.at(row, l, 0)] = 50;
  }
  drawn.all = Predictive(std::move(components));
  const double of_all = drawn.expectation().outputs[0].nll.value;
  for (std::size_t row = 0; row < drawn.members.size(); ++row) {
    drawn.members[row].clear();
    for (std::size_t l = 0; l < 10; ++l) drawn.members[row].push_back(10 * (row % 10) + l);
  }
  EXPECT_NEAR(drawn.expectation().outputs[0].nll.value, of_all, 0.05);
}

/// Of 98 rows that are all inside, one more inside and one outside would be a share of 0.99.
TEST(ShareOf, IsNotCertainWhereAllRowsAreInside) {
  const Estimate all = share_of(std::vector<double>(98, 1.0), {}, {});
  EXPECT_EQ(all.value, 1);
  EXPECT_NEAR(all.standard_error, std::sqrt(0.99 * 0.01 / 98), 1e-12);
  std::vector<std::uint32_t> units(98);
  for (std::uint32_t i = 0; i < 98; ++i) units[i] = i / 49;
  EXPECT_GT(share_of(std::vector<double>(98, 1.0), {}, units).standard_error, 0.2) << "two witnesses";
  const Estimate half = share_of(std::vector<double>{1, 0, 1, 0}, {}, {});
  EXPECT_EQ(half.value, 0.5);
  EXPECT_NEAR(half.standard_error, std::sqrt(0.25 / 4), 1e-12);
}

/// Members that differ in their noise alone: three of ten are tail components.
struct TailedMembers {
  explicit TailedMembers(std::size_t rows) : own(rows, 1, std::vector(10, 0.1), 11), other(own) {
    MixtureComponents components = own.all.components();
    MixtureComponents twins = components;
    constexpr double wider = 7;
    for (std::size_t i = 0; i < components.mean.size(); ++i) {
      const std::size_t first = i / 10 * 10;
      for (auto* found : {&components, &twins}) {
        const bool is_wide = is_tail[i % 10] == (found == &components);
        found->mean[i] = components.mean[first];
        found->aleatoric_variance[i] = is_wide ? wider : 1;
        found->epistemic_variance[i] = is_wide ? wider / 10 : 0.1;
      }
    }
    own.all = Predictive(std::move(components));
    other.all = Predictive(std::move(twins));
  }

  std::vector<bool> is_tail = {true, true, true, false, false, false, false, false, false, false};
  Drawn own;
  Drawn other;
};

/// Two members may both be tail components, or none of them: judged by their own noise they are worse than all ten.
TEST(Expectation, OfBothNoisesIsThatOfAllMembers) {
  TailedMembers members(3'000);
  const Expectation of_all = members.own.expectation();
  Drawn held = members.own;
  for (std::size_t row = 0; row < held.members.size(); ++row) {
    held.members[row] = {row % 10, (row + 1 + row / 10 % 9) % 10};
    std::ranges::sort(held.members[row]);
  }
  EXPECT_GT(held.expectation().nll.value, of_all.nll.value + 0.02);
  ExpectationScorer scorer(1, std::vector(10, 0.1));
  scorer.add(with_both_noises(members.own.all, members.other.all, members.is_tail), held.targets, held.row_weights,
             held.members, {}, 1);
  const Expectation both = *scorer.expectation();
  EXPECT_NEAR(both.nll.value, of_all.nll.value, 1e-12);
  EXPECT_NEAR(both.nll.standard_error, of_all.nll.standard_error, 1e-12);
  EXPECT_NEAR(both.outputs[0].rmse.value, of_all.outputs[0].rmse.value, 1e-12);
  EXPECT_NEAR(both.outputs[0].crps.value, of_all.outputs[0].crps.value, 1e-12);
  EXPECT_NEAR(both.outputs[0].aleatoric_std.value, of_all.outputs[0].aleatoric_std.value, 1e-12);
  EXPECT_NEAR(both.outputs[0].epistemic_std.value, of_all.outputs[0].epistemic_std.value, 1e-12);
  EXPECT_NEAR(both.outputs[0].coverage.value, of_all.outputs[0].coverage.value, 1e-12);
}

}  // namespace
}  // namespace credens::learn
