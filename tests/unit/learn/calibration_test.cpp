// SPDX-License-Identifier: Apache-2.0
//
// Made-up members at made-up rows: no network is needed to say what is best for them. Tolerances are about three
// standard errors: with n rows a shift of log s^2 has the standard error sqrt(2 / n), a slope that over the standard
// deviation of log s^2.

#include "learn/calibration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "math/kernels.hpp"
#include "math/normal.hpp"
#include "model/mlp.hpp"
#include "unit/learn/made_up_members.hpp"

namespace credens::learn {
namespace {

/// With all of calibration but for what is given.
Calibration calibrated(const HeldOut& held_out, FitOptions options) {
  options.recalibrate.set_default(true);
  options.correct_size.set_default(true);
  options.weigh_members.set_default(true);
  options.prior_precision.set_default(1);
  return calibrate(held_out, options);
}

using testing::Each;
using testing::IsEmpty;
using testing::SizeIs;

double at(const NoiseMap& map, double log_variance) {
  return map.shift + map.slope * log_variance;
}

void expect_near(const Calibration& a, const Calibration& b, double tolerance) {
  ASSERT_EQ(a.noise.size(), b.noise.size());
  for (std::size_t configuration = 0; configuration < a.noise.size(); ++configuration) {
    for (std::size_t unit = 0; unit < a.noise[configuration].size(); ++unit) {
      EXPECT_NEAR(a.noise[configuration][unit].shift, b.noise[configuration][unit].shift, tolerance);
      EXPECT_NEAR(a.noise[configuration][unit].slope, b.noise[configuration][unit].slope, tolerance);
    }
    EXPECT_NEAR(a.configuration_weights[configuration], b.configuration_weights[configuration], tolerance);
  }
  EXPECT_EQ(a.tails.share, b.tails.share);
  EXPECT_NEAR(a.tails.shift, b.tails.shift, tolerance);
  EXPECT_NEAR(a.nll_before, b.nll_before, 1e-9);
  EXPECT_NEAR(a.nll_after, b.nll_after, 1e-4);
}

TEST(Calibrate, LeavesNoiseThatIsRight) {
  const Calibration found = calibrated(heteroscedastic({.rows = 2000}, 1), {});
  const NoiseMap map = found.noise.at(0).at(0);
  EXPECT_NEAR(at(map, -1.5), -1.5, 0.1);
  EXPECT_NEAR(map.slope, 1, 0.07);
  EXPECT_LE(found.nll_after, found.nll_before);
  EXPECT_NEAR(found.nll_after, found.nll_before, 0.005);
  EXPECT_THAT(found.configuration_weights, Each(1.0));
}

TEST(Calibrate, UndoesAnAffineMapOfLogVariances) {
  const Calibration right = calibrated(heteroscedastic({.rows = 2000}, 2), {});
  for (const NoiseMap& undo : {NoiseMap{1.2, 0.7}, NoiseMap{-0.8, 1.5}, NoiseMap{9, 2}}) {
    const Calibration found = calibrated(heteroscedastic({.rows = 2000}, 2, undo), {});
    const NoiseMap map = found.noise.at(0).at(0);
    EXPECT_NEAR(at(map, (-1.5 - undo.shift) / undo.slope), -1.5, 0.1) << undo.shift;
    EXPECT_NEAR(map.slope / undo.slope, 1, 0.07) << undo.shift;
    EXPECT_NEAR(found.nll_after, right.nll_after, 1e-3);
    EXPECT_LT(found.nll_after, found.nll_before - 0.05);
  }
}

TEST(Calibrate, FindsAMapForEachKind) {
  HeldOut held = heteroscedastic({.rows = 4000, .members = 2, .configurations = 2}, 3);
  for (double& value : held.members[1].log_variance.values()) value = (value + 2) / 0.6;
  // Each row is held out by one configuration only, so that either is calibrated by rows of its own.
  held.pair_member.clear();
  held.first_pair = {0};
  for (std::uint32_t r = 0; r < 4000; ++r) {
    held.pair_member.push_back(r % 2);
    held.first_pair.push_back(r + 1);
  }
  const Calibration found = calibrated(held, {.weigh_members = false});
  EXPECT_NEAR(at(found.noise[0][0], -1.5), -1.5, 0.1);
  EXPECT_NEAR(found.noise[0][0].slope, 1, 0.07);
  EXPECT_NEAR(at(found.noise[1][0], 0.5 / 0.6), -1.5, 0.1);
  EXPECT_NEAR(found.noise[1][0].slope, 0.6, 0.05);
}

TEST(Calibrate, GivesOutputsWithNoiseOfTheirOwnMapsOfTheirOwn) {
  HeldOut held = made_up({.rows = 2000, .outputs = 2, .units = 2});
  base::RandomStream random = random_stream(4);
  const std::vector<NoiseMap> truth{{0.5, 1.3}, {-1, 0.8}};
  for (std::size_t r = 0; r < 2000; ++r) {
    for (std::size_t k = 0; k < 2; ++k) {
      held.members[0].log_variance(r, k) = random.uniform(-2, 2);
      held.targets(r, k) = std::exp(at(truth[k], held.members[0].log_variance(r, k)) / 2) * random.normal();
    }
  }
  const Calibration found = calibrated(held, {});
  ASSERT_THAT(found.noise.at(0), SizeIs(2));
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(found.noise[0][k].shift, truth[k].shift, 0.1);
    EXPECT_NEAR(found.noise[0][k].slope, truth[k].slope, 0.09);
  }
}

TEST(Calibrate, FindsOneMapForOutputsThatShareTheirNoise) {
  HeldOut held = made_up({.rows = 1000, .outputs = 2});
  base::RandomStream random = random_stream(5);
  for (std::size_t r = 0; r < 1000; ++r) {
    held.members[0].log_variance(r, 0) = random.uniform(-2, 2);
    for (double& target : held.targets.row(r)) {
      target = std::exp(at({0.7, 1.2}, held.members[0].log_variance(r, 0)) / 2) * random.normal();
    }
  }
  const Calibration found = calibrated(held, {});
  ASSERT_THAT(found.noise.at(0), SizeIs(1));
  EXPECT_NEAR(found.noise[0][0].shift, 0.7, 0.1);
  EXPECT_NEAR(found.noise[0][0].slope, 1.2, 0.09);
}

TEST(Calibrate, AddsKnownNoiseToWhatItMaps) {
  HeldOut held = made_up({.rows = 4000});
  base::RandomStream random = random_stream(6);
  held.known_variance = Matrix(4000, 1);
  for (std::size_t r = 0; r < 4000; ++r) {
    held.known_variance(r, 0) = random.uniform(0.2, 1);
    held.members[0].log_variance(r, 0) = -3;  // the truth is 0
    held.targets(r, 0) = std::sqrt(1 + held.known_variance(r, 0)) * random.normal();
  }
  const NoiseMap map = calibrated(held, {}).noise.at(0).at(0);
  EXPECT_NEAR(at(map, -3), 0, 0.12);  // known noise hides a part: 3 sqrt(2 / n) 1.6
}

/// gamma = P / (sum |phi|^2 / s^2 + P lambda); the sum of these rows stands for that of all.
double plain_gamma(const HeldOut& held, const MemberAtRows& member, double lambda) {
  double trace = 0;
  for (std::size_t i = 0; i < held.rows(); ++i) {
    trace += held.weights[i] * member.squared_features[i] / (std::exp(member.log_variance(i, 0)) + model::noise_floor);
  }
  const auto p = static_cast<double>(member.features);
  return p / (trace * held.weight_in_all / static_cast<double>(held.rows()) + p * lambda);
}

TEST(Calibrate, IsTheFormulaBeforeItChangesAnything) {
  HeldOut held = made_up({.rows = 4, .members = 5, .configurations = 2});
  held.pair_member = {0, 1, 2, 3, 4, 0, 1, 3, 2, 4, 1};  // configurations 0 1 0 1 0, 0 1 1, 0 0, 1
  held.first_pair = {0, 5, 8, 10, 11};
  held.weight_in_all = 16;
  held.weights = {0.5, 1, 2, 0.5};
  base::RandomStream random = random_stream(7);
  for (double& target : held.targets.values()) target = random.normal();
  for (MemberAtRows& member : held.members) {
    member.features = 4;
    for (double& mean : member.mean.values()) mean = random.normal();
    for (double& value : member.log_variance.values()) value = random.uniform(-1, 1);
    for (double& value : member.squared_features) value = random.uniform(0.5, 9);
  }
  // Configurations have the shares 3/5 and 2/5 of the members, divided among those that are there; a configuration that
  // is not leaves its share to the other.
  const std::vector<std::vector<double>> shares{{0.2, 0.2, 0.2, 0.2, 0.2}, {0.6, 0.2, 0.2}, {0.5, 0.5}, {1.0}};
  double nll = 0;
  for (std::size_t r = 0; r < 4; ++r) {
    double density = 0;
    for (std::size_t c = 0; c < shares[r].size(); ++c) {
      const MemberAtRows& member = held.members[held.members_of(r)[c]];
      const double variance = std::exp(member.log_variance(r, 0)) + model::noise_floor +
                              plain_gamma(held, member, 0.3) * member.squared_features[r];
      density += shares[r][c] * std::exp(math::normal_log_density(held.targets(r, 0), member.mean(r, 0), variance));
    }
    nll -= held.weights[r] * std::log(density) / 4;
  }
  const Calibration found = calibrated(held, {.prior_precision = 0.3, .recalibrate = false, .weigh_members = false});
  EXPECT_NEAR(found.nll_before, nll, 1e-12);
  EXPECT_EQ(found.nll_after, found.nll_before);
}

TEST(Calibrate, LeavesWhatItIsNotAskedToChange) {
  const HeldOut held = scattered({.rows = 200, .members = 4, .configurations = 2}, 1, 8);
  const Calibration found = calibrated(held, {.recalibrate = false, .weigh_members = false});
  for (const auto& of_kind : found.noise) {
    for (const NoiseMap& map : of_kind) {
      EXPECT_EQ(map.shift, 0);
      EXPECT_EQ(map.slope, 1);
    }
  }
  EXPECT_EQ(found.tails.share, 0);
  EXPECT_THAT(found.configuration_weights, Each(0.5));
}

TEST(Calibrate, KnowsNoNoiseAboveTheLargestError) {
  HeldOut held = heteroscedastic({.rows = 200, .members = 4, .configurations = 2}, 12);
  double largest = 0;
  for (const double target : held.targets.values()) largest = std::max(largest, target * target);
  held.weights[7] = 0;  // and whose error does not count
  held.targets(7, 0) = 1e3;
  held.members[0].log_variance(3, 0) = 25;
  EXPECT_NEAR(calibrated(held, {}).largest_noise, std::log(largest), 1e-12);
  EXPECT_EQ(calibrated(held, {.recalibrate = false}).largest_noise, math::noise_exp_bound);
}

// Log variances that differ wildly between rows and say nothing: the way down from them ends far above one noise for
// all rows.
TEST(Calibrate, IsNoWorseThanOneNoiseForAllRows) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    HeldOut held = made_up({.rows = 60, .members = 4, .configurations = 1});
    base::RandomStream random = random_stream(seed);
    for (double& target : held.targets.values()) target = 0.5 * random.normal();
    for (MemberAtRows& member : held.members) {
      for (double& value : member.log_variance.values()) value = random.uniform() < 0.5 ? -11 : random.uniform(-5, 1);
    }
    HeldOut equal = held;
    for (MemberAtRows& member : equal.members) std::ranges::fill(member.log_variance.values(), std::log(0.25));
    EXPECT_LT(calibrated(held, {}).nll_after, calibrated(equal, {}).nll_after + 0.02) << seed;
  }
}

TEST(Calibrate, GivesAWorseKindLittleWeight) {
  HeldOut held = made_up({.rows = 500, .members = 6, .configurations = 2});
  base::RandomStream random = random_stream(9);
  for (double& target : held.targets.values()) target = random.normal();
  for (MemberAtRows& member : held.members) {
    for (double& mean : member.mean.values()) mean = member.configuration == 1 ? 3 * random.normal() : 0;
  }
  for (const bool recalibrate : {false, true}) {
    const Calibration found = calibrated(held, {.recalibrate = recalibrate});
    EXPECT_LT(found.configuration_weights[1], 0.03) << recalibrate;
    EXPECT_NEAR(found.configuration_weights[0] + found.configuration_weights[1], 1, 1e-12);
    EXPECT_LT(found.nll_after, found.nll_before);
  }
}

TEST(Calibrate, GivesEqualKindsEqualWeights) {
  const HeldOut held = scattered({.rows = 1000, .members = 6, .configurations = 3}, 0, 10);
  for (const double weight : calibrated(held, {.recalibrate = false}).configuration_weights)
    EXPECT_NEAR(weight, 1.0 / 3, 1e-9);
}

TEST(Calibrate, FindsTheShareOfEachKindInAMixture) {
  HeldOut held = made_up({.rows = 4000, .members = 2, .configurations = 2});
  base::RandomStream random = random_stream(11);
  for (double& target : held.targets.values()) target = (random.uniform() < 0.7 ? -2 : 2) + random.normal();
  for (double& mean : held.members[0].mean.values()) mean = -2;
  for (double& mean : held.members[1].mean.values()) mean = 2;
  const Calibration found = calibrated(held, {.recalibrate = false});
  EXPECT_NEAR(found.configuration_weights[0], 0.7, 0.025);  // 3 sqrt(0.21 / 4000) and a little for the overlap
}

TEST(Calibrate, MakesMembersWideWhereErrorsHaveTails) {
  HeldOut held = made_up({.rows = 2000, .members = 10});
  base::RandomStream random = random_stream(12);
  double squares = 0;
  for (double& target : held.targets.values()) {  // Student's t with 3 degrees of freedom
    const double chi = std::hypot(random.normal(), random.normal(), random.normal());
    target = random.normal() / (chi / std::sqrt(3));
    squares += target * target / 2000;
  }
  const Calibration found = calibrated(held, {});
  EXPECT_GE(found.tails.share, 0.1);
  EXPECT_LE(found.tails.share, 0.3);
  EXPECT_NEAR(10 * found.tails.share, std::round(10 * found.tails.share), 1e-12);
  EXPECT_GT(found.tails.shift, 1);
  const double best_gaussian = 0.5 * (std::log(squares) + 1 + math::log_two_pi);
  EXPECT_LT(found.nll_after, best_gaussian - 0.05);
}

TEST(Calibrate, MakesNoMemberWideForGaussianErrorsOrAmongFewSiblings) {
  EXPECT_EQ(calibrated(heteroscedastic({.rows = 2000, .members = 10}, 13), {}).tails.share, 0);
  HeldOut few = made_up({.rows = 1000, .members = 3});
  base::RandomStream random = random_stream(14);
  for (double& target : few.targets.values()) target = random.normal() * std::exp(random.normal());
  EXPECT_EQ(calibrated(few, {}).tails.share, 0);
}

/// Rows in another order, or some of them twice.
HeldOut rows_of(const HeldOut& held, const std::vector<std::uint32_t>& rows) {
  HeldOut part = held;
  part.targets = Matrix(rows.size(), held.outputs());
  part.weights.clear();
  part.pair_member.clear();
  part.first_pair = {0};
  for (std::size_t l = 0; l < held.members.size(); ++l) {
    part.members[l].mean = Matrix(rows.size(), held.outputs());
    part.members[l].log_variance = Matrix(rows.size(), held.members[l].log_variance.cols());
    part.members[l].squared_features.clear();
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(held.targets.row(rows[i]), part.targets.row(i).begin());
    part.weights.push_back(held.weights[rows[i]]);
    for (std::size_t l = 0; l < held.members.size(); ++l) {
      std::ranges::copy(held.members[l].mean.row(rows[i]), part.members[l].mean.row(i).begin());
      std::ranges::copy(held.members[l].log_variance.row(rows[i]), part.members[l].log_variance.row(i).begin());
      part.members[l].squared_features.push_back(held.members[l].squared_features[rows[i]]);
    }
    const auto members = held.members_of(rows[i]);
    part.pair_member.insert(part.pair_member.end(), members.begin(), members.end());
    part.first_pair.push_back(part.pair_member.size());
  }
  return part;
}

std::vector<std::uint32_t> first_rows(std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

TEST(Calibrate, DoesNotLookAtTheOrderOfRows) {
  const HeldOut held = scattered({.rows = 400, .members = 6, .configurations = 2}, 0.5, 15);
  base::RandomStream random = random_stream(16);
  const FitOptions task{.correct_size = false};
  expect_near(calibrated(rows_of(held, base::permutation(400, random)), task), calibrated(held, task), 1e-3);
}

TEST(Calibrate, DoesNotLookAtRowsOfWeightZero) {
  HeldOut held = scattered({.rows = 400, .members = 6, .configurations = 2}, 0.5, 17);
  const Calibration expected = calibrated(rows_of(held, first_rows(300)), {.correct_size = false});
  for (std::size_t r = 300; r < 400; ++r) {
    held.weights[r] = 0;
    held.targets(r, 0) = 50;
  }
  expect_near(calibrated(held, {.correct_size = false}), expected, 0.02);
}

TEST(Calibrate, CountsARowOfWeightTwoAsTheRowTwice) {
  HeldOut held = scattered({.rows = 300, .members = 6, .configurations = 2}, 0.5, 18);
  std::vector<std::uint32_t> twice = first_rows(300);
  for (std::uint32_t r = 0; r < 100; ++r) twice.push_back(r);
  const Calibration expected = calibrated(rows_of(held, twice), {.correct_size = false});
  for (std::size_t r = 0; r < 100; ++r) held.weights[r] = 2;
  expect_near(calibrated(held, {.correct_size = false}), expected, 0.02);
}

TEST(Calibrate, WeighsMembersUnderKnownNoiseToo) {
  HeldOut held = scattered({.rows = 300, .members = 4, .configurations = 2, .units = 0}, 0, 19);
  held.known_variance = Matrix(300, 1, 1.0);
  for (MemberAtRows& member : held.members) {
    for (double& mean : member.mean.values()) mean += member.configuration == 0 ? 2 : 0;
  }
  const Calibration found = calibrated(held, {});
  EXPECT_THAT(found.noise, Each(IsEmpty()));
  EXPECT_LT(found.configuration_weights[0], 0.05);
  EXPECT_LT(found.nll_after, found.nll_before);
  EXPECT_EQ(found.tails.share, 0);
}

/// The members' noise as the calibration has it, for rows that no member saw.
double nll_of_new_rows(const Size& size, double spread, const Calibration& found) {
  HeldOut rows = scattered(size, spread, 77);
  for (MemberAtRows& member : rows.members) {
    for (double& value : member.log_variance.values()) value = at(found.noise[member.configuration][0], value);
  }
  hold_out_all(rows);
  return calibrated(rows, {.recalibrate = false, .weigh_members = false}).nll_before;
}

TEST(CorrectSize, ShrinksTheNoiseWhereMembersDisagreeWhichSuitsNewRows) {
  const Size size{.rows = 1500, .members = 6, .configurations = 2};
  const HeldOut held = scattered(size, 0.8, 20);
  const Calibration plain = calibrated(held, {.correct_size = false, .weigh_members = false});
  const Calibration corrected = calibrated(held, {.correct_size = true, .weigh_members = false});
  EXPECT_LT(corrected.noise[0][0].shift, plain.noise[0][0].shift - 0.05);
  EXPECT_EQ(corrected.noise[0][0].slope, plain.noise[0][0].slope);
  EXPECT_EQ(corrected.nll_after, plain.nll_after);
  const Size many{.rows = 10000, .members = 6, .configurations = 2};
  EXPECT_LT(nll_of_new_rows(many, 0.8, corrected), nll_of_new_rows(many, 0.8, plain));
}

TEST(CorrectSize, HardlyMattersWhereMembersAgree) {
  const HeldOut held = scattered({.rows = 600, .members = 6, .configurations = 2}, 0, 21);
  const Calibration plain = calibrated(held, {.correct_size = false});
  const Calibration corrected = calibrated(held, {.correct_size = true});
  EXPECT_NEAR(corrected.noise[0][0].shift, plain.noise[0][0].shift, 0.02);
}

TEST(CorrectSize, IsNothingWhereAllMembersHeldARowOutOrOnlyOneDid) {
  HeldOut all = scattered({.rows = 300, .members = 4, .configurations = 2}, 0.8, 22);
  hold_out_all(all);
  const HeldOut one = scattered({.rows = 300, .members = 3}, 0.8, 23);
  for (const HeldOut& held : {all, one}) {
    const Calibration plain = calibrated(held, {.correct_size = false});
    const Calibration corrected = calibrated(held, {.correct_size = true});
    EXPECT_EQ(corrected.noise[0][0].shift, plain.noise[0][0].shift);
  }
}

}  // namespace
}  // namespace credens::learn
