// SPDX-License-Identifier: Apache-2.0

#include "learn/gradient.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "learn/trainer.hpp"
#include "unit/learn/plain_loss.hpp"
#include "unit/learn/random_rows.hpp"

namespace credens::learn {
namespace {

/// A minibatch seen by the plain path: the rows `order`, in that order.
struct PlainBatch {
  Dataset rows;
  Matrix known;
  double
      weight_share;  // mean of u_i N / U over the batch, by which the fast path's mean differs from the weighted mean

  PlainBatch(const RandomRows& data, const TrainingSet& set, std::span<const std::uint32_t> order)
      : rows(data.dataset().select(std::vector<std::size_t>(order.begin(), order.end()))),
        known(rows.noise_std().rows(), rows.noise_std().cols()),
        weight_share(0) {
    for (std::size_t i = 0; i < known.rows(); ++i) {
      for (std::size_t k = 0; k < known.cols(); ++k) known(i, k) = set.known(order[i], k);
    }
    for (const std::uint32_t row : order) weight_share += static_cast<double>(set.weight(row));
    weight_share /= static_cast<double>(order.size());
  }

  PlainRows view() const {
    return {.inputs = rows.inputs(), .targets = rows.targets(), .known_variance = known, .weights = rows.weights()};
  }
};

/// |fast - plain| and |plain| over a layer's weights and biases.
struct Distance {
  double error = 0;
  double norm = 0;

  void add(double fast, double plain) {
    error = std::hypot(error, fast - plain);
    norm = std::hypot(norm, plain);
  }
};

void expect_close(const GradientPass& pass, const model::Mlp& network, const PlainNetwork& plain, double factor) {
  model::Mlp fast(network.shape());
  ASSERT_EQ(pass.gradient().size(), fast.parameters().size());
  std::ranges::copy(pass.gradient(), fast.parameters().begin());
  for (std::size_t layer = 0; layer < plain.weight.size(); ++layer) {
    Distance distance;
    const auto weight = fast.weight(layer);
    const auto bias = fast.bias(layer);
    for (std::size_t out = 0; out < weight.rows(); ++out) {
      for (std::size_t in = 0; in < weight.cols(); ++in) {
        distance.add(weight(out, in), factor * plain.weight[layer](out, in));
      }
      distance.add(bias[out], factor * plain.bias[layer][out]);
    }
    EXPECT_LE(distance.error, 1e-5 * distance.norm + 1e-7) << "layer " << layer;
  }
  Distance constant;
  for (std::size_t k = 0; k < plain.constant_noise.size(); ++k) {
    constant.add(fast.constant_noise()[k], factor * plain.constant_noise[k]);
  }
  EXPECT_LE(constant.error, 1e-5 * constant.norm + 1e-7);
  Distance frequencies;
  for (std::size_t j = 0; j < plain.frequencies.values().size(); ++j) {
    frequencies.add(fast.frequencies()[j], factor * plain.frequencies.values()[j]);
  }
  EXPECT_LE(frequencies.error, 1e-5 * frequencies.norm + 1e-7);
}

void expect_fast_equals_plain(const NetworkCase& kind, const RandomRows& data, std::size_t batch, std::uint64_t seed) {
  SCOPED_TRACE(kind.text() + fmt::format(", batch {}", batch));
  const TrainingSet set = data.training_set();
  const model::Mlp network = initial_network(kind.shape, seed, 0, 0, 0.7);
  base::RandomStream random({.seed = seed, .purpose = base::Purpose::test});
  auto order = base::permutation(set.rows, random);
  order.resize(batch);
  const PlainBatch plain(data, set, order);
  GradientPass pass(kind.shape, batch);
  const double loss = pass.run(network, BackwardWeights(network), set, order);
  const double expected = plain.weight_share * plain_loss(plain_network(network), plain.view(), 0);
  EXPECT_NEAR(loss, expected, 1e-5 * (1 + std::abs(expected)));
  expect_close(pass, network, plain_gradient(plain_network(network), plain.view(), 0), plain.weight_share);
}

TEST(GradientPass, EqualsThePlainGradientForEveryKindOfNetwork) {
  for (const NetworkCase& kind : every_network(3, {18, 7, 5, 9})) {
    const RandomRows data = random_rows(
        {.rows = 9, .inputs = 3, .outputs = kind.shape.outputs, .noise = kind.known_noise, .weights = true}, 5);
    expect_fast_equals_plain(kind, data, 7, 2);
  }
}

TEST(GradientPass, EqualsThePlainGradientForEveryBatchSize) {
  for (const Activation activation : {Activation::relu, Activation::silu}) {
    for (const NoiseKind noise : {NoiseKind::shared, NoiseKind::per_output, NoiseKind::constant, NoiseKind::known}) {
      const NetworkCase kind{
          .shape = {.inputs = 20, .hidden = {33, 17}, .activation = activation, .outputs = 2, .noise = noise},
          .known_noise = true};
      const RandomRows data = random_rows({.rows = 100, .inputs = 20, .outputs = 2, .noise = true, .weights = true}, 6);
      for (const std::size_t batch : {1, 7, 64, 100}) expect_fast_equals_plain(kind, data, batch, 4);
    }
  }
}

TEST(GradientPass, EqualsThePlainGradientThroughAnEmbedding) {
  for (NetworkCase kind : every_network(3, {18, 7})) {
    kind.shape.frequencies = 1 + kind.shape.outputs;
    const RandomRows data = random_rows(
        {.rows = 9, .inputs = 3, .outputs = kind.shape.outputs, .noise = kind.known_noise, .weights = true}, 5);
    expect_fast_equals_plain(kind, data, 7, 2);
  }
  for (const std::size_t batch : {1, 7, 64, 100}) {
    const NetworkCase kind{
        .shape = {.inputs = 20, .hidden = {33, 17}, .activation = Activation::silu, .outputs = 2, .frequencies = 4}};
    const RandomRows data = random_rows({.rows = 100, .inputs = 20, .outputs = 2, .weights = true}, 6);
    expect_fast_equals_plain(kind, data, batch, 4);
  }
}

TEST(GradientPass, SeesTheEmbeddingThatPredictionsSee) {
  const model::MlpShape shape{.inputs = 5, .hidden = {20}, .activation = Activation::silu, .frequencies = 3};
  const TrainingSet set = random_rows({.rows = 32, .inputs = 5}, 1).training_set();
  const model::Mlp network = initial_network(shape, 1, 0, 0, 2);
  std::vector<std::uint32_t> order(32);
  std::iota(order.begin(), order.end(), 0U);
  GradientPass pass(shape, 32);
  EXPECT_NEAR(pass.run(network, BackwardWeights(network), set, order), mean_loss(network, set), 1e-6);
}

TEST(GradientPass, ForgetsTheBatchBefore) {
  const model::MlpShape shape{
      .inputs = 4, .hidden = {20, 6}, .activation = Activation::gelu, .outputs = 2, .frequencies = 2};
  const TrainingSet set = random_rows({.rows = 40, .inputs = 4, .outputs = 2}, 1).training_set();
  const model::Mlp network = initial_network(shape, 1, 0, 0, 1);
  std::vector<std::uint32_t> order(40);
  std::iota(order.begin(), order.end(), 0U);
  GradientPass used(shape, 32);
  used.run(network, BackwardWeights(network), set, std::span(order).first(32));
  const double again = used.run(network, BackwardWeights(network), set, std::span(order).last(8));
  GradientPass fresh(shape, 32);
  EXPECT_EQ(again, fresh.run(network, BackwardWeights(network), set, std::span(order).last(8)));
  EXPECT_TRUE(std::ranges::equal(used.gradient(), fresh.gradient()));
}

TEST(GradientPass, CountsARowOfWeightTwoAsTheRowTwice) {
  const model::MlpShape shape{.inputs = 3, .hidden = {8}, .outputs = 1, .noise = NoiseKind::constant};
  RandomRows data = random_rows({.rows = 6, .inputs = 3, .noise = true}, 2);
  const std::vector<std::size_t> repeated{0, 1, 2, 3, 4, 5, 5};
  const Dataset twice = data.dataset().select(repeated);
  data.weights = {1, 1, 1, 1, 1, 2};
  const TrainingSet weighted = data.training_set();
  const TrainingSet doubled = make_training_set(twice, {data::identity_scaler(3), data::identity_scaler(1)});
  const model::Mlp network = initial_network(shape, 3, 0, 0);
  const std::vector<std::uint32_t> all{0, 1, 2, 3, 4, 5, 6};
  GradientPass one(shape, 6);
  GradientPass other(shape, 7);
  EXPECT_NEAR(one.run(network, BackwardWeights(network), weighted, std::span(all).first(6)),
              other.run(network, BackwardWeights(network), doubled, all), 1e-6);
  for (std::size_t j = 0; j < one.gradient().size(); ++j) EXPECT_NEAR(one.gradient()[j], other.gradient()[j], 1e-6);
  EXPECT_EQ(weighted.weight_total, doubled.weight_total);
  EXPECT_NEAR(mean_loss(network, weighted), mean_loss(network, doubled), 1e-6);
}

TEST(MeanLoss, EqualsThePlainLossWithoutPriorOverManyBlocks) {
  const NetworkCase kind{.shape = {.inputs = 2, .hidden = {6}, .activation = Activation::tanh, .outputs = 2},
                         .known_noise = true};
  const RandomRows data = random_rows({.rows = 9000, .inputs = 2, .outputs = 2, .noise = true, .weights = true}, 4);
  const model::Mlp network = initial_network(kind.shape, 1, 0, 0);
  const Matrix known = data.known_variance();
  const PlainRows rows{
      .inputs = data.inputs, .targets = data.targets, .known_variance = known, .weights = data.weights};
  EXPECT_NEAR(mean_loss(network, data.training_set()), plain_loss(plain_network(network), rows, 0), 1e-6);
}

TEST(MeanLoss, OfSomeRowsIsThatOfATableOfThem) {
  const model::MlpShape shape{.inputs = 2, .hidden = {6}, .activation = Activation::tanh, .outputs = 2};
  const RandomRows data = random_rows({.rows = 9500, .inputs = 2, .outputs = 2, .noise = true, .weights = true}, 4);
  const model::Mlp network = initial_network(shape, 1, 0, 0);
  for (const std::size_t count : {1, 4500, 9500}) {
    base::RandomStream random({.seed = count, .purpose = base::Purpose::test});
    auto chosen = base::permutation(9500, random);
    chosen.resize(count);
    const Dataset table = data.dataset().select(std::vector<std::size_t>(chosen.begin(), chosen.end()));
    const TrainingSet rows = make_training_set(table, {data::identity_scaler(2), data::identity_scaler(2)});
    EXPECT_NEAR(mean_loss(network, data.training_set(), chosen), mean_loss(network, rows), 1e-6) << count;
  }
}

}  // namespace
}  // namespace credens::learn
