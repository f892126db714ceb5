// SPDX-License-Identifier: Apache-2.0

#include "unit/learn/plain_loss.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "learn/trainer.hpp"
#include "support/effort.hpp"
#include "unit/learn/random_rows.hpp"

namespace credens::learn {
namespace {

/// All numbers of a network, in a fixed order.
std::vector<double*> parameters(PlainNetwork& network) {
  std::vector<double*> all;
  for (Matrix& weight : network.weight) {
    for (double& value : weight.values()) all.push_back(&value);
  }
  for (auto& bias : network.bias) {
    for (double& value : bias) all.push_back(&value);
  }
  for (double& value : network.constant_noise) all.push_back(&value);
  for (double& value : network.frequencies.values()) all.push_back(&value);
  return all;
}

/// The least |z| of all hidden units over all rows: how far the network is from a kink of relu.
double distance_to_kink(const PlainNetwork& network, const Matrix& inputs) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < inputs.rows(); ++i) {
    std::vector<double> x(inputs.row(i).begin(), inputs.row(i).end());
    for (std::size_t layer = 0; layer + 1 < network.weight.size(); ++layer) {
      std::vector<double> z = network.bias[layer];
      for (std::size_t out = 0; out < z.size(); ++out) {
        for (std::size_t in = 0; in < x.size(); ++in) z[out] += network.weight[layer](out, in) * x[in];
        least = std::min(least, std::abs(z[out]));
      }
      x = z;
      for (double& value : x)
        value = network.shape.activation == Activation::elu && value < 0 ? std::expm1(value) : std::max(value, 0.0);
    }
  }
  return least;
}

/// Random weights, for activations with a kink such that no difference crosses it.
PlainNetwork network_off_kinks(const model::MlpShape& shape, const Matrix& inputs) {
  const bool has_kink = shape.activation == Activation::relu || shape.activation == Activation::elu;
  for (std::uint64_t seed = 0;; ++seed) {
    PlainNetwork network = plain_network(initial_network(shape, seed, 0, 0));
    if (!has_kink || distance_to_kink(network, inputs) > 1e-3) return network;
  }
}

/// (8 (L(t + h) - L(t - h)) - (L(t + 2h) - L(t - 2h))) / 12 h: central differences with an error of order h^4.
double central_difference(PlainNetwork& network, double& parameter, const PlainRows& rows, double prior_precision) {
  constexpr double h = 1e-4;
  const double at = parameter;
  const auto loss_at = [&](double value) {
    parameter = value;
    return plain_loss(network, rows, prior_precision);
  };
  const double near = loss_at(at + h) - loss_at(at - h);
  const double far = loss_at(at + 2 * h) - loss_at(at - 2 * h);
  parameter = at;
  return (8 * near - far) / (12 * h);
}

void expect_central_differences(PlainNetwork network, const RandomRows& data, double rounding) {
  const Matrix known = data.known_variance();
  const PlainRows rows{
      .inputs = data.inputs, .targets = data.targets, .known_variance = known, .weights = data.weights};
  PlainNetwork gradient = plain_gradient(network, rows, 0.7);
  const auto theta = parameters(network);
  const auto slopes = parameters(gradient);
  ASSERT_EQ(theta.size(), slopes.size());
  for (std::size_t j = 0; j < theta.size(); j += test::stride_of_cases(7)) {
    const double expected = central_difference(network, *theta[j], rows, 0.7);
    EXPECT_NEAR(*slopes[j], expected, 1e-6 * std::abs(expected) + rounding) << "parameter " << j;
  }
}

TEST(PlainGradient, EqualsCentralDifferencesForEveryKindOfNetwork) {
  constexpr double rounding = 1e-11;  // of the loss, about 1e-16, over the step
  for (const NetworkCase& kind : every_network(2, {4, 3, 4, 3})) {
    SCOPED_TRACE(kind.text());
    const RandomRows data = random_rows(
        {.rows = 5, .inputs = 2, .outputs = kind.shape.outputs, .noise = kind.known_noise, .weights = true}, 3);
    expect_central_differences(network_off_kinks(kind.shape, data.inputs), data, rounding);
  }
}

TEST(PlainGradient, EqualsCentralDifferencesThroughAnEmbedding) {
  for (NetworkCase kind : every_network(2, {4, 3})) {
    if (kind.shape.activation != Activation::silu) continue;
    SCOPED_TRACE(kind.text());
    kind.shape.frequencies = 1 + kind.shape.outputs;
    const RandomRows data = random_rows(
        {.rows = 5, .inputs = 2, .outputs = kind.shape.outputs, .noise = kind.known_noise, .weights = true}, 3);
    const PlainNetwork network = plain_network(initial_network(kind.shape, 1, 0, 0, 0.3));
    ASSERT_EQ(network.frequencies.values().size(), 2 * kind.shape.frequencies);
    expect_central_differences(network, data, 1e-9);  // the fifth derivative of a sine is not small
  }
}

TEST(PlainLoss, SeesInputsThroughTheirEmbedding) {
  const PlainNetwork network{.shape = {.inputs = 2, .outputs = 1, .noise = NoiseKind::known, .frequencies = 1},
                             .weight = {Matrix(1, 6, {1, 2, 3, 4, 5, 6})},
                             .bias = {{0.5}},
                             .frequencies = Matrix(2, 1, {0.25, 0.5})};
  const Matrix input(1, 2, {1.0 / 3, 0.5});  // 1/12 and 1/4 turns
  const Matrix target(1, 1, 0.0);
  const Matrix known(1, 1, 1.0);
  const double mean = 0.5 + 1.0 / 3 + 2 * 0.5 + 3 * 0.5 + 4 * 1 + 5 * std::sqrt(0.75) + 6 * 0;
  const PlainRows rows{.inputs = input, .targets = target, .known_variance = known};
  EXPECT_NEAR(plain_loss(network, rows, 0), 0.5 * mean * mean, 1e-13);
}

TEST(PlainLoss, IsTheFormulaOfTheDesignForOneRowAndNoHiddenLayer) {
  const PlainNetwork network{
      .shape = {.inputs = 1, .outputs = 1, .noise = NoiseKind::shared, .noise_link = NoiseLink::exp},
      .weight = {Matrix(2, 1, {0.5, -0.25})},
      .bias = {{0.125, 0.75}}};
  const Matrix input(1, 1, 2.0);
  const Matrix target(1, 1, 3.0);
  const Matrix known(1, 1, 0.4);
  const std::vector<double> weights{2.0};
  const double mean = 0.5 * 2 + 0.125;
  const double variance = std::exp(-0.25 * 2 + 0.75) + 1e-6 + 0.4;
  const double prior = 0.5 * 0.3 * (0.25 + 0.0625 + 0.015625 + 0.5625);
  const double row_loss = 0.5 * ((3 - mean) * (3 - mean) / variance + std::log(variance));
  const PlainRows rows{.inputs = input, .targets = target, .known_variance = known, .weights = weights};
  EXPECT_NEAR(plain_loss(network, rows, 0.3), (2 * row_loss + prior) / 2, 1e-15);
}

TEST(PlainLoss, TakesKnownNoiseAloneAtLeastAsTheFloor) {
  const PlainNetwork network{
      .shape = {.inputs = 1, .outputs = 1, .noise = NoiseKind::known}, .weight = {Matrix(1, 1, 0.0)}, .bias = {{0.0}}};
  const Matrix input(1, 1, 1.0);
  const Matrix target(1, 1, 0.0);
  const Matrix tiny(1, 1, 1e-9);
  const PlainRows rows{.inputs = input, .targets = target, .known_variance = tiny};
  EXPECT_DOUBLE_EQ(plain_loss(network, rows, 0), 0.5 * std::log(1e-6));
}

TEST(PlainLoss, CountsARowOfWeightTwoAsTheRowTwice) {
  const model::MlpShape shape{.inputs = 3, .hidden = {5, 4}, .activation = Activation::silu, .outputs = 2};
  PlainNetwork network = plain_network(initial_network(shape, 1, 0, 0));
  RandomRows data = random_rows({.rows = 4, .inputs = 3, .outputs = 2, .noise = true}, 8);
  const std::vector<double> weights{1, 1, 2, 1};
  const Matrix known = data.known_variance();
  const PlainRows weighted{.inputs = data.inputs, .targets = data.targets, .known_variance = known, .weights = weights};

  const std::vector<std::size_t> repeated{0, 1, 2, 2, 3};
  const Dataset twice = data.dataset().select(repeated);
  Matrix twice_known(5, 2);
  for (std::size_t i = 0; i < 5; ++i) std::ranges::copy(known.row(repeated[i]), twice_known.row(i).begin());
  const PlainRows doubled{.inputs = twice.inputs(), .targets = twice.targets(), .known_variance = twice_known};

  EXPECT_NEAR(plain_loss(network, weighted, 0.5), plain_loss(network, doubled, 0.5), 1e-14);
  PlainNetwork one = plain_gradient(network, weighted, 0.5);
  PlainNetwork other = plain_gradient(network, doubled, 0.5);
  const auto a = parameters(one);
  const auto b = parameters(other);
  for (std::size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(*a[j], *b[j], 1e-14);
}

}  // namespace
}  // namespace credens::learn
