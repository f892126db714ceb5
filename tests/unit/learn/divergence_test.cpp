// SPDX-License-Identifier: Apache-2.0

#include "learn/divergence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "learn/gradient.hpp"
#include "learn/trainer.hpp"
#include "unit/learn/random_rows.hpp"

namespace credens::learn {
namespace {

TrainingSet rows_with(std::vector<double> targets, std::vector<double> noise_std = {}) {
  const std::size_t rows = targets.size();
  RandomRows data{.inputs = Matrix(rows, 1), .targets = Matrix(rows, 1, std::move(targets))};
  if (!noise_std.empty()) data.noise_std = Matrix(rows, 1, std::move(noise_std));
  return data.training_set();
}

TEST(DivergenceLimit, IsOneNatPerOutputAboveTheConstantGaussian) {
  EXPECT_DOUBLE_EQ(divergence_limit(rows_with({-1, 1}), NoiseKind::shared), 0.5 + 1);
  EXPECT_DOUBLE_EQ(divergence_limit(rows_with({-1, 1, -1, 1}), NoiseKind::shared), 0.5 + 1);
}

TEST(DivergenceLimit, TakesTheBestConstantGaussianForWiderTargets) {
  EXPECT_DOUBLE_EQ(divergence_limit(rows_with({2, 8, 2, 8}), NoiseKind::shared), 0.5 * (1 + std::log(9.0)) + 1);
}

TEST(DivergenceLimit, TakesAConstantTargetInItsScaleOfOne) {
  EXPECT_DOUBLE_EQ(divergence_limit(rows_with({0, 0, 0}), NoiseKind::shared), 1);
}

TEST(DivergenceLimit, AddsKnownNoiseOrTakesItAlone) {
  const TrainingSet rows = rows_with({-1, 1}, {2, 2});
  EXPECT_DOUBLE_EQ(divergence_limit(rows, NoiseKind::shared), 0.1 + 0.5 * std::log(5.0) + 1);
  EXPECT_DOUBLE_EQ(divergence_limit(rows, NoiseKind::known), 0.125 + 0.5 * std::log(4.0) + 1);
}

TEST(DivergenceLimit, WeighsRowsWithTheirPrecisionAndLetsTheSquaredPartDouble) {
  const double mean = (10.0 / 9) / (1 + 1.0 / 9);
  const double square_part = 0.25 * (mean * mean + (10 - mean) * (10 - mean) / 9);
  EXPECT_NEAR(divergence_limit(rows_with({0, 10}, {1, 3}), NoiseKind::known), 2 * square_part + 0.25 * std::log(9.0),
              1e-6);
}

TEST(DivergenceLimit, FollowsFromSumsOverPiecesToo) {
  for (const NoiseKind noise : {NoiseKind::shared, NoiseKind::known}) {
    const TrainingSet rows = rows_with({-1, 1, -1, 1}, {2, 1, 0.5, 3});
    DivergenceSums sums({1}, noise);
    sums.add(rows, 0, 3);
    sums.add(rows, 3, 1);
    EXPECT_DOUBLE_EQ(sums.limit(), divergence_limit(rows, noise));
  }
}

TEST(DivergenceLimit, LetsUntrainedNetworksWithHiddenLayersPass) {
  for (const NetworkCase& kind : every_network(3, {8, 6})) {
    if (kind.shape.hidden.empty()) continue;  // a linear noise head alone may start with tiny variances
    RandomRows data = random_rows(
        {.rows = 50, .inputs = 3, .outputs = kind.shape.outputs, .noise = kind.known_noise, .weights = true}, 7);
    for (double& value : data.noise_std.values()) value = kind.shape.noise == NoiseKind::known ? 1e-2 : value;
    const Dataset dataset = data.dataset();
    const TrainingSet set = make_training_set(dataset, TrainingTable(dataset).scaling(true, false));
    const model::Mlp network = initial_network(kind.shape, 1, 0, 0);
    EXPECT_LE(mean_loss(network, set), divergence_limit(set, kind.shape.noise)) << kind.text();
  }
}

}  // namespace
}  // namespace credens::learn
