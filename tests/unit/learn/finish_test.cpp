// SPDX-License-Identifier: Apache-2.0

#include "learn/finish.hpp"

#include <credens/widen.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "learn/calibration.hpp"
#include "learn/fit.hpp"
#include "learn/recipe.hpp"
#include "learn/train_members.hpp"
#include "unit/learn/paper_options.hpp"
#include "unit/learn/random_rows.hpp"
#include "unit/model/network_block.hpp"

namespace credens::learn {
namespace {

using testing::Each;
using testing::HasSubstr;

/// y = sin(2 x0) + x1 / 2 plus noise that grows with x0; a second output is its negative with other noise.
RandomRows wavy_rows(std::size_t rows, std::uint64_t seed, std::size_t outputs = 1) {
  base::RandomStream random({.seed = seed, .purpose = base::Purpose::test});
  RandomRows data{.inputs = random_floats(random, rows, 2, -1.5, 1.5), .targets = Matrix(rows, outputs)};
  for (std::size_t i = 0; i < rows; ++i) {
    const double x = data.inputs(i, 0);
    const double truth = std::sin(2 * x) + data.inputs(i, 1) / 2;
    const double noise = 0.1 + 0.1 * (x + 1.5);
    data.targets(i, 0) = truth + noise * random.normal();
    if (outputs > 1) data.targets(i, 1) = -truth + 2 * noise * random.normal();
  }
  return data;
}

/// Two kinds, small enough for a test.
FitOptions small_options() {
  return {.members = 10,
          .hidden = {{12}},
          .activation = {Activation::silu},
          .embedding = {0, 0.5},
          .frequencies = 2,
          .epochs = 30,
          .batch = 16,
          .learning_rate = {1e-2},
          .loss_beta = {0},
          .seed = 5};
}

const model::Decision* find(const Ensemble& ensemble, std::string_view name) {
  for (const model::Decision& decision : ensemble.state().decisions) {
    if (decision.name == name) return &decision;
  }
  return nullptr;
}

double mean_nll(const Ensemble& narrow, const Dataset& train, const Dataset& test) {
  const Ensemble ensemble = widen(narrow, train);
  const std::vector<double> densities =
      ensemble.predict(test.inputs(), {.noise_std = test.noise_std()}).log_density(test.targets());
  return -std::accumulate(densities.begin(), densities.end(), 0.0) / static_cast<double>(densities.size());
}

void expect_sound(const Ensemble& ensemble, const Dataset& data) {
  const model::EnsembleState& state = ensemble.state();
  EXPECT_EQ(state.total_members, state.members.size());
  for (std::size_t l = 0; l < state.members.size(); ++l) EXPECT_EQ(state.members[l].index, l);
  EXPECT_NEAR(std::accumulate(state.weights.begin(), state.weights.end(), 0.0), 1, 1e-12);
  EXPECT_TRUE(model::stored_option(state, "posterior").has_value());
  EXPECT_TRUE(std::isfinite(mean_nll(ensemble, data, data)));
}

std::vector<model::Member> trained_members(const TrainingRows& rows, const FitOptions& planned) {
  std::vector<std::size_t> all(*planned.members);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return train_members(rows, planned, all);
}

TEST(Finish, GivesTheSameBitsForAnyNumberOfThreads) {
  const Dataset data = wavy_rows(80, 1).dataset();
  FitOptions options = small_options();
  options.epochs = 5;
  options.threads = 1;
  const Ensemble alone = fit_members(data, options);
  for (const int threads : {2, 7}) {
    options.threads = threads;
    const Ensemble together = fit_members(data, options);
    EXPECT_EQ(together.weights(), alone.weights());
    EXPECT_EQ(together.state().decisions, alone.state().decisions);
    EXPECT_EQ(together.state().options, alone.state().options);
    ASSERT_EQ(together.members(), alone.members());
    for (std::size_t l = 0; l < alone.members(); ++l) {
      EXPECT_TRUE(std::ranges::equal(together.state().members[l].network->parameters(),
                                     alone.state().members[l].network->parameters()));
    }
  }
}

/// Variances of a network at the training rows are exp(shift + extra + slope log s^2) + floor of the trained member.
void expect_noise(const model::Mlp& network, const TrainingSet& set, const MemberAtRows& trained,
                  const std::vector<NoiseMap>& maps, double extra) {
  model::ForwardBuffers buffers(network.shape(), 64);
  const model::MemberBlock block =
      model::member_block(network, set.input_values.data(), set.input_stride, set.rows, {}, buffers);
  for (std::size_t i = 0; i < set.rows; ++i) {
    for (std::size_t k = 0; k < set.outputs; ++k) {
      const std::size_t unit = std::min(k, trained.log_variance.cols() - 1);
      const double expected =
          std::exp(maps[unit].shift + extra + maps[unit].slope * trained.log_variance(i, unit)) + model::noise_floor;
      ASSERT_NEAR(block.variance(i, k) / expected, 1, 1e-4) << "row " << i;
      ASSERT_NEAR(block.mean(i, k), trained.mean(i, k), 1e-6);
    }
  }
}

/// The first members are wider, and where there are such, their twins are narrow and those of the others wide.
void expect_calibrated_noise(const Dataset& data, FitOptions options) {
  options.weigh_members = false;
  const TrainingTable table(data);
  const Plan plan = make_plan(options, table);
  const TrainingRows rows(table, plan.options);
  const std::vector<model::Member> members = trained_members(rows, plan.options);
  const Finished finished = finish(rows, plan, members);

  const HeldOut held = look_at_held_out(judging_rows(rows, plan.options, members, 2500), plan.options, members, 2500);
  const Calibration found = calibrate(held, plan.options);
  ASSERT_EQ(finished.members.size(), members.size());
  const std::size_t kinds = configuration_count(plan.options);
  const double wide = std::round(found.tails.share * static_cast<double>(members.size() / kinds));
  ASSERT_EQ(finished.twins.size(), wide > 0 ? members.size() : 0);
  for (std::size_t l = 0; l < members.size(); ++l) {
    const std::vector<NoiseMap>& maps = found.noise[l % kinds];
    const bool is_wide = static_cast<double>(l / kinds) < wide;
    const double extra = is_wide ? found.tails.shift : 0;
    expect_noise(*finished.members[l].network, rows.train(), held.members[l], maps, extra);
    if (finished.twins.empty()) continue;
    EXPECT_EQ(finished.twins[l].shift, is_wide ? -found.tails.shift : found.tails.shift);
    expect_noise(*finished.twins[l].network, rows.train(), held.members[l], maps, extra + finished.twins[l].shift);
  }
}

TEST(Finish, FoldsTheCalibrationIntoTheNetworks) {
  FitOptions options = small_options();
  expect_calibrated_noise(wavy_rows(60, 2).dataset(), options);
  expect_calibrated_noise(wavy_rows(60, 2, 2).dataset(), options);
  options.noise = NoiseKind::constant;
  expect_calibrated_noise(wavy_rows(60, 2, 2).dataset(), options);
}

TEST(Finish, FoldsWideMembersIntoTheNetworks) {
  RandomRows rows = wavy_rows(200, 3);
  base::RandomStream random({.seed = 3, .purpose = base::Purpose::test});
  for (double& target : rows.targets.values()) target += 0.3 * random.normal() * std::exp(1.2 * random.normal());
  FitOptions options = small_options();
  options.epochs = 10;
  const Ensemble ensemble = fit_members(rows.dataset(), options);
  ASSERT_NE(find(ensemble, "tail_components"), nullptr);
  EXPECT_NE(find(ensemble, "tail_components")->value, "0 %");
  expect_calibrated_noise(rows.dataset(), options);
}

TEST(Finish, ImprovesThePredictionOfRowsHeldOutAndOfNewRows) {
  const Dataset data = wavy_rows(60, 14).dataset();
  const Dataset test = wavy_rows(2000, 5).dataset();
  FitOptions options = small_options();
  options.hidden = {{32}};
  options.epochs = 150;
  const Ensemble calibrated = fit_members(data, options);
  double before = 0;
  double after = 0;
  const std::string reason = find(calibrated, "noise_map")->reason;
  ASSERT_EQ(std::sscanf(reason.c_str(), "60 held-out rows: NLL %lf before, %lf after", &before, &after), 2) << reason;
  EXPECT_LT(after, before);
  options.recalibrate = false;
  options.weigh_members = false;
  const Ensemble plain = fit_members(data, options);
  EXPECT_EQ(find(plain, "noise_map"), nullptr);
  EXPECT_LT(mean_nll(calibrated, data, test), mean_nll(plain, data, test) - 0.05);
}

TEST(Finish, LeavesOutKindsThatSayNothing) {
  RandomRows rows = wavy_rows(150, 6);
  for (std::size_t i = 0; i < 150; ++i) rows.targets(i, 0) = 3 * rows.inputs(i, 0) + 0.01 * rows.targets(i, 0);
  const Dataset data = rows.dataset();
  FitOptions options = small_options();
  options.embedding = {0};
  options.learning_rate = {1e-9, 1e-2};  // members 0, 2, ... stay as they begin
  options.epochs = 60;
  const Ensemble ensemble = fit_members(data, options);
  expect_sound(ensemble, data);
  ASSERT_EQ(ensemble.members(), 5U);
  EXPECT_THAT(ensemble.weights(), Each(testing::DoubleEq(0.2)));
  EXPECT_LT(mean_nll(ensemble, data, data), 0.5);
  EXPECT_THAT(find(ensemble, "configuration_weights")->value, HasSubstr("100 %"));
}

TEST(Finish, StoresTheRungThatItDecided) {
  const Dataset data = wavy_rows(60, 7).dataset();
  FitOptions options = small_options();
  options.epochs = 3;
  const Ensemble ensemble = fit_members(data, options);
  expect_sound(ensemble, data);
  ASSERT_NE(find(ensemble, "posterior"), nullptr);
  EXPECT_EQ(find(ensemble, "posterior")->value, *model::stored_option(ensemble.state(), "posterior"));
  EXPECT_EQ(ensemble.posterior(), PosteriorKind::delta);
  options.posterior = PosteriorKind::full;
  const Ensemble given = fit_members(data, options);
  EXPECT_EQ(find(given, "posterior"), nullptr);
  EXPECT_EQ(*model::stored_option(given.state(), "posterior"), "full");
}

TEST(Finish, NeedsRowsUnlessNothingIsLeftToDecide) {
  EXPECT_FALSE(is_unfinished_part(1, 2, paper()));
  FitOptions options = paper();
  options.weigh_members = true;
  EXPECT_TRUE(is_unfinished_part(1, 2, options));
  options = paper();
  options.recalibrate = true;
  EXPECT_TRUE(is_unfinished_part(1, 2, options));
  options = paper();
  options.posterior = {};
  EXPECT_TRUE(is_unfinished_part(1, 2, options));
}

TEST(Finish, LeavesThePapersMembersAsTheyAre) {
  const Dataset data = wavy_rows(40, 8).dataset();
  const TrainingTable table(data);
  const Plan plan = make_plan({.recipe = Recipe::paper, .members = 3, .hidden = {{4}}, .epochs = 2}, table);
  const TrainingRows rows(table, plan.options);
  const std::vector<model::Member> members = trained_members(rows, plan.options);
  const Finished finished = finish(rows, plan, members);
  EXPECT_THAT(finished.weights, Each(testing::DoubleEq(1.0 / 3)));
  for (std::size_t l = 0; l < 3; ++l) EXPECT_EQ(finished.members[l].network, members[l].network);
  EXPECT_THAT(finished.decisions, testing::IsEmpty());
}

TEST(AutoFit, TakesFewRowsWithoutHoldingAnyOut) {
  for (const std::size_t rows : {2, 9}) {
    const Dataset data = wavy_rows(rows, 9).dataset();
    FitOptions options = small_options();
    options.members = 3;
    options.embedding = {};
    const Ensemble ensemble = fit_members(data, options);
    expect_sound(ensemble, data);
    EXPECT_EQ(ensemble.members(), 3U);
    EXPECT_EQ(find(ensemble, "folds")->value, "0");
    EXPECT_EQ(find(ensemble, "noise_map"), nullptr);
  }
}

TEST(AutoFit, TakesTenRowsAndOneMember) {
  const Dataset data = wavy_rows(10, 9).dataset();
  FitOptions options = small_options();
  expect_sound(fit_members(data, options), data);
  options.members = 1;
  expect_sound(fit_members(data, options), data);
}

TEST(AutoFit, TakesFewerMembersThanKinds) {
  const Dataset data = wavy_rows(40, 9).dataset();
  FitOptions options = small_options();
  options.embedding = {0, 0.5, 1};
  options.members = 2;
  expect_sound(fit_members(data, options), data);
  options.members = 4;
  expect_sound(fit_members(data, options), data);
}

TEST(AutoFit, TakesOnePartForAllMembers) {
  const Dataset data = wavy_rows(100, 10).dataset();
  FitOptions options = small_options();
  options.folds = 1;
  const Ensemble ensemble = fit_members(data, options);
  expect_sound(ensemble, data);
  EXPECT_THAT(find(ensemble, "noise_map")->reason, HasSubstr("10 held-out rows"));
}

TEST(AutoFit, TakesRowWeightsAndEveryKindOfNoise) {
  RandomRows rows = wavy_rows(60, 11, 2);
  base::RandomStream random({.seed = 11, .purpose = base::Purpose::test});
  rows.noise_std = random_floats(random, 60, 2, 0.1, 0.4);
  for (std::size_t i = 0; i < 60; ++i) rows.weights.push_back(i % 3 == 0 ? 0 : random.uniform(0.2, 3));
  for (const NoiseKind noise : {NoiseKind::shared, NoiseKind::per_output, NoiseKind::constant, NoiseKind::known}) {
    FitOptions options = small_options();
    options.noise = noise;
    const Ensemble ensemble = fit_members(rows.dataset(), options);
    expect_sound(ensemble, rows.dataset());
    EXPECT_EQ(find(ensemble, "noise_map") != nullptr, noise != NoiseKind::known);
  }
}

TEST(AutoFit, TakesAConstantTarget) {
  RandomRows rows = wavy_rows(40, 12);
  for (double& target : rows.targets.values()) target = 7;
  const Ensemble ensemble = fit_members(rows.dataset(), small_options());
  expect_sound(ensemble, rows.dataset());
  EXPECT_NEAR(ensemble.predict(rows.inputs).mean()(0, 0), 7, 0.5);
}

TEST(AutoFit, TakesValidationRowsBesideFolds) {
  const Dataset data = wavy_rows(60, 13).dataset();
  FitOptions options = small_options();
  options.validation_fraction = 0.2;
  const Ensemble ensemble = fit_members(data, options);
  expect_sound(ensemble, data);
  EXPECT_THAT(find(ensemble, "noise_map")->reason, HasSubstr("48 held-out rows"));
}

TEST(Finish, KeepsMembersOfManyKinds) {
  const Dataset data = wavy_rows(30, 6).dataset();
  FitOptions options = small_options();
  std::vector<double> bandwidths(60);
  std::iota(bandwidths.begin(), bandwidths.end(), 0.0);
  options.members = 60;
  options.embedding = bandwidths;
  options.epochs = 1;
  options.weigh_members = false;
  const Ensemble ensemble = fit_members(data, options);
  expect_sound(ensemble, data);
  EXPECT_EQ(ensemble.members(), 60U);
}

TEST(Finish, CorrectsTheSizeNoFurtherThanFewRowsAllow) {
  const Dataset data = wavy_rows(60, 4).dataset();
  const Dataset test = wavy_rows(2000, 5).dataset();
  FitOptions options = small_options();
  options.hidden = {{32}};
  options.epochs = 150;
  const double corrected = mean_nll(fit_members(data, options), data, test);
  options.correct_size = false;
  EXPECT_LT(corrected, mean_nll(fit_members(data, options), data, test) + 0.15);
}

/// Trained to the end, the noise far from the rows would be anything between nothing and the exponential of a line.
TEST(Finish, KnowsNoNoiseThatNoRowOfTrainingHad) {
  const Dataset data = wavy_rows(150, 8).dataset();
  FitOptions options = small_options();
  options.epochs = 150;
  for (const bool recalibrate : {true, false}) {
    options.recalibrate = recalibrate;
    const Ensemble ensemble = fit_members(data, options);
    const MatrixView rows = data.inputs();
    Matrix far(rows.rows(), rows.cols());
    for (std::size_t i = 0; i < far.rows(); ++i) {
      for (std::size_t j = 0; j < far.cols(); ++j) far(i, j) = 1000 * rows(i, j);
    }
    const Matrix near_noise = ensemble.predict(data.inputs()).aleatoric_variance();
    const Matrix far_noise = ensemble.predict(far).aleatoric_variance();
    std::vector<double> largest(ensemble.members());
    double bound = 0;
    const MixtureComponents components = ensemble.predict(data.inputs()).components();
    for (std::size_t i = 0; i < components.aleatoric_variance.size(); ++i) {
      double& of_member = largest[i % largest.size()];
      of_member = std::max(of_member, components.aleatoric_variance[i]);
    }
    for (std::size_t l = 0; l < largest.size(); ++l) bound += components.weights[l] * largest[l];
    for (const double noise : far_noise.values()) EXPECT_LE(noise, bound * 1.0001) << recalibrate;
    for (const double noise : far_noise.values()) EXPECT_GT(noise, std::ranges::min(near_noise.values()) / 100);
  }
}

}  // namespace
}  // namespace credens::learn
