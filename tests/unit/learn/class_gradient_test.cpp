// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "learn/divergence.hpp"
#include "learn/gradient.hpp"
#include "learn/trainer.hpp"
#include "unit/learn/plain_loss.hpp"
#include "unit/learn/random_rows.hpp"

namespace credens::learn {
namespace {

model::MlpShape class_shape(std::size_t classes, std::vector<std::size_t> hidden) {
  return {.inputs = 3,
          .hidden = std::move(hidden),
          .activation = Activation::silu,
          .outputs = classes,
          .task = Task::classification,
          .frequencies = 2};
}

std::vector<std::uint32_t> all_rows(const TrainingSet& set) {
  std::vector<std::uint32_t> order(set.rows);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

PlainRows plain_rows(const RandomRows& rows) {
  return {.inputs = rows.inputs, .targets = rows.targets, .known_variance = {}, .weights = rows.weights};
}

TEST(ClassGradient, EqualsThePlainGradientForNumbersAndShares) {
  for (const Labels labels : {Labels::numbers, Labels::shares}) {
    for (const std::size_t classes : {2, 3, 17}) {
      for (const std::vector<std::size_t>& hidden : {std::vector<std::size_t>{}, {9, 5}}) {
        const RandomRows rows = random_class_rows({.rows = 23, .inputs = 3, .weights = true}, classes, labels, 4);
        const TrainingSet set = rows.training_set();
        const model::Mlp network = initial_network(class_shape(classes, hidden), 3, 0, 0, 0.7);
        GradientPass pass(network.shape(), set.rows);
        const double loss = pass.run(network, BackwardWeights(network), set, all_rows(set));
        EXPECT_NEAR(loss, plain_loss(plain_network(network), plain_rows(rows), 0), 1e-5);
        EXPECT_NEAR(mean_loss(network, set), plain_loss(plain_network(network), plain_rows(rows), 0), 1e-6);

        const PlainNetwork plain = plain_gradient(plain_network(network), plain_rows(rows), 0);
        model::Mlp fast(network.shape());
        std::ranges::copy(pass.gradient(), fast.parameters().begin());
        for (std::size_t layer = 0; layer < plain.weight.size(); ++layer) {
          for (std::size_t out = 0; out < plain.weight[layer].rows(); ++out) {
            EXPECT_NEAR(fast.bias(layer)[out], plain.bias[layer][out], 2e-6);
            for (std::size_t in = 0; in < plain.weight[layer].cols(); ++in) {
              EXPECT_NEAR(fast.weight(layer)(out, in), plain.weight[layer](out, in), 2e-6);
            }
          }
        }
      }
    }
  }
}

TEST(ClassGradient, OfThePlainPathIsThatOfCentralDifferences) {
  const RandomRows rows = random_class_rows({.rows = 11, .inputs = 3, .weights = true}, 4, Labels::numbers, 2);
  const PlainNetwork network = plain_network(initial_network(class_shape(4, {5}), 3, 0, 0, 0.7));
  const PlainNetwork gradient = plain_gradient(network, plain_rows(rows), 0.3);
  constexpr double step = 1e-5;
  for (std::size_t layer = 0; layer < network.weight.size(); ++layer) {
    for (std::size_t i = 0; i < network.weight[layer].values().size(); ++i) {
      PlainNetwork above = network;
      PlainNetwork below = network;
      above.weight[layer].values()[i] += step;
      below.weight[layer].values()[i] -= step;
      const double slope =
          (plain_loss(above, plain_rows(rows), 0.3) - plain_loss(below, plain_rows(rows), 0.3)) / (2 * step);
      EXPECT_NEAR(gradient.weight[layer].values()[i], slope, 1e-8);
    }
  }
}

TEST(ClassLoss, IsNotFiniteWhereALogitIsNot) {
  const RandomRows rows = random_class_rows({.rows = 4, .inputs = 3}, 3, Labels::numbers, 2);
  const TrainingSet set = rows.training_set();
  const model::MlpShape shape = class_shape(3, {5});
  const std::size_t stride = math::row_stride(3);
  for (const float bad : {std::nanf(""), INFINITY, -INFINITY}) {
    for (std::size_t place = 0; place < 3; ++place) {
      base::AlignedVector<float> head(4 * stride);
      base::AlignedVector<float> delta(4 * stride);
      head[2 * stride + place] = bad;
      EXPECT_FALSE(std::isfinite(
          make_loss(shape, 4)->run(model::Mlp(shape), set, all_rows(set), head.data(), stride, delta.data(), {})));
    }
  }
}

TEST(ClassDivergence, LimitIsOneNatAboveTheEntropyOfTheShares) {
  RandomRows rows = random_class_rows({.rows = 4, .inputs = 1}, 2, Labels::numbers, 2);
  rows.targets = Matrix(4, 1, {0, 1, 1, 1});
  const double entropy = -0.25 * std::log(0.25) - 0.75 * std::log(0.75);
  EXPECT_NEAR(divergence_limit(rows.training_set(), NoiseKind::shared), entropy + 1, 1e-12);
  rows.weights = {3, 1, 1, 1};
  EXPECT_NEAR(divergence_limit(rows.training_set(), NoiseKind::shared), std::log(2) + 1, 1e-6);
}

}  // namespace
}  // namespace credens::learn
