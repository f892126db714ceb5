// SPDX-License-Identifier: Apache-2.0

#include "model/mlp.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "model/names.hpp"
#include "support/edit_network.hpp"
#include "support/error_matchers.hpp"
#include "unit/model/network_block.hpp"
#include "unit/model/plain_activation.hpp"
#include "unit/model/random_ensemble.hpp"

namespace credens::model {
namespace {

constexpr Activation all_activations[] = {Activation::relu, Activation::tanh, Activation::silu, Activation::gelu,
                                          Activation::elu};
constexpr NoiseKind all_noises[] = {NoiseKind::shared, NoiseKind::per_output, NoiseKind::constant, NoiseKind::known};
constexpr NoiseLink all_links[] = {NoiseLink::softplus, NoiseLink::exp};

double plain_variance(NoiseLink link, double raw) {
  return (link == NoiseLink::exp ? std::exp(raw) : std::log(1 + std::exp(raw))) + 1e-6;
}

struct PlainOutput {
  std::vector<double> features;
  std::vector<double> mean;
  std::vector<double> variance;
};

/// [z, sin 2 pi c z, cos 2 pi c z].
std::vector<double> plain_embedding(const Mlp& network, std::vector<double> z) {
  std::vector<double> angles;
  for (std::size_t j = 0; j < network.shape().inputs; ++j) {
    for (std::size_t m = 0; m < network.shape().frequencies; ++m) {
      const double frequency = network.frequencies()[j * network.shape().frequencies + m];
      angles.push_back(2 * std::numbers::pi * frequency * z[j]);
    }
  }
  for (const double angle : angles) z.push_back(std::sin(angle));
  for (const double angle : angles) z.push_back(std::cos(angle));
  return z;
}

/// One row through the network in double, layer by layer.
PlainOutput plain_forward(const Mlp& network, std::vector<double> x, std::span<const double> known) {
  const MlpShape& shape = network.shape();
  x = plain_embedding(network, std::move(x));
  PlainOutput output{.features = x};
  for (std::size_t layer = 0; layer < shape.layers(); ++layer) {
    const BasicMatrix<float> weight = network.weight(layer);
    const std::vector<float> bias = network.bias(layer);
    std::vector<double> y(weight.rows());
    for (std::size_t out = 0; out < y.size(); ++out) {
      y[out] = bias[out];
      for (std::size_t in = 0; in < x.size(); ++in) y[out] += static_cast<double>(weight(out, in)) * x[in];
      if (layer + 1 < shape.layers()) y[out] = test::plain_activation(shape.activation, y[out]);
    }
    if (layer + 1 < shape.layers()) output.features = y;
    x = y;
  }
  for (std::size_t k = 0; k < shape.outputs; ++k) {
    output.mean.push_back(x[k]);
    if (shape.noise == NoiseKind::known) {
      output.variance.push_back(known[k]);
      continue;
    }
    const double raw = shape.noise == NoiseKind::constant
                           ? static_cast<double>(network.constant_noise()[k])
                           : x[shape.outputs + (shape.noise == NoiseKind::shared ? 0 : k)];
    output.variance.push_back(plain_variance(shape.noise_link, raw) + known[k]);
  }
  return output;
}

base::AlignedVector<float> padded_inputs(const Matrix& inputs) {
  const std::size_t stride = math::padded(inputs.cols());
  base::AlignedVector<float> values(inputs.rows() * stride);
  for (std::size_t i = 0; i < inputs.rows(); ++i) {
    for (std::size_t j = 0; j < inputs.cols(); ++j) values[i * stride + j] = static_cast<float>(inputs(i, j));
  }
  return values;
}

MemberBlock block_at(const Mlp& network, const Matrix& inputs, MatrixView known, std::size_t rows_per_pass) {
  const auto values = padded_inputs(inputs);
  ForwardBuffers buffers(network.shape(), rows_per_pass);
  return member_block(network, values.data(), math::padded(inputs.cols()), inputs.rows(), known, buffers);
}

Matrix in_float(Matrix matrix) {
  for (double& value : matrix.values()) value = static_cast<float>(value);
  return matrix;
}

void expect_near(std::span<const double> found, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i])));
  }
}

TEST(Forward, AgreesWithAPlainNetworkInDouble) {
  const Matrix inputs = in_float(random_matrix(3, 5, 11));
  for (const Activation activation : all_activations) {
    for (const NoiseKind noise : all_noises) {
      for (const NoiseLink link : all_links) {
        for (std::size_t depth = 0; depth <= 4; ++depth) {
          for (std::size_t outputs = 1; outputs <= 3; ++outputs) {
            const std::vector<std::size_t> widths = {19, 6, 16, 9};
            const MlpShape shape{.inputs = 5,
                                 .hidden = {widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(depth)},
                                 .activation = activation,
                                 .outputs = outputs,
                                 .noise = noise,
                                 .noise_link = link,
                                 .frequencies = (depth + outputs) % 3};
            const Mlp network = random_network(shape, 100 * depth + outputs);
            const Matrix known = random_matrix(3, outputs, 5, 0.1, 2);
            const MemberBlock block = block_at(network, inputs, known, 2);
            SCOPED_TRACE(testing::Message() << base::name_of(activation) << ' ' << base::name_of(noise) << ' '
                                            << base::name_of(link) << ", depth " << depth << ", outputs " << outputs);
            for (std::size_t i = 0; i < inputs.rows(); ++i) {
              const auto row = inputs.row(i);
              const PlainOutput plain = plain_forward(network, {row.begin(), row.end()}, known.row(i));
              expect_near(block.features.row(i), plain.features, 2e-5);
              expect_near(block.mean.row(i), plain.mean, 2e-5);
              expect_near(block.variance.row(i), plain.variance, 1e-4);
            }
          }
        }
      }
    }
  }
}

TEST(Forward, GivesARowTheSameBitsAloneAndInAnyBlock) {
  for (const Activation activation : all_activations) {
    for (const std::size_t frequencies : {0U, 1U, 3U}) {
      const Mlp network = random_network(
          {.inputs = 9, .hidden = {33, 17}, .activation = activation, .outputs = 2, .frequencies = frequencies}, 3);
      const Matrix inputs = random_matrix(101, 9, 4);
      const MemberBlock whole = block_at(network, inputs, {}, 101);
      const MemberBlock in_passes = block_at(network, inputs, {}, 7);
      EXPECT_EQ(whole.features, in_passes.features);
      EXPECT_EQ(whole.mean, in_passes.mean);
      EXPECT_EQ(whole.variance, in_passes.variance);
      for (std::size_t i = 0; i < inputs.rows(); i += 13) {
        const MemberBlock alone = block_at(network, rows_of(inputs, {i}), {}, 1);
        EXPECT_THAT(alone.mean.row(0), testing::ElementsAreArray(whole.mean.row(i)));
        EXPECT_THAT(alone.features.row(0), testing::ElementsAreArray(whole.features.row(i)));
      }
    }
  }
}

TEST(Forward, ShowsTheEmbeddingAsFeaturesWhereThereIsNoHiddenLayer) {
  const Mlp network = random_network({.inputs = 2, .hidden = {}, .frequencies = 3}, 1);
  const Matrix inputs = in_float(random_matrix(4, 2, 2));
  const MemberBlock block = block_at(network, inputs, {}, 4);
  ASSERT_EQ(block.features.cols(), 2U * (1 + 2 * 3));
  for (std::size_t i = 0; i < 4; ++i) {
    const auto row = inputs.row(i);
    expect_near(block.features.row(i), plain_embedding(network, {row.begin(), row.end()}), 1e-6);
  }
}

TEST(MemberBlock, TakesKnownNoiseAloneButNeverBelowTheFloor) {
  const Mlp network = random_network({.inputs = 2, .hidden = {3}, .outputs = 2, .noise = NoiseKind::known}, 1);
  const MemberBlock block = block_at(network, random_matrix(1, 2, 2), Matrix(1, 2, {0.5, 1e-9}), 1);
  EXPECT_EQ(block.variance(0, 0), 0.5);
  EXPECT_EQ(block.variance(0, 1), noise_floor);
}

TEST(MemberBlock, AddsKnownNoiseToTheLearned) {
  const Mlp network = random_network({.inputs = 2, .hidden = {3}, .outputs = 2}, 1);
  const Matrix inputs = random_matrix(4, 2, 2);
  const Matrix known = random_matrix(4, 2, 3, 0.1, 1);
  const MemberBlock with = block_at(network, inputs, known, 4);
  const MemberBlock without = block_at(network, inputs, {}, 4);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(with.variance(i, k), without.variance(i, k) + known(i, k));
  }
}

TEST(MemberBlock, KeepsNoiseWithinItsRanges) {
  for (const NoiseLink link : all_links) {
    Mlp network = random_network(
        {.inputs = 2, .hidden = {3}, .outputs = 2, .noise = NoiseKind::per_output, .noise_link = link}, 1);
    const Matrix inputs = random_matrix(50, 2, 2);
    const MemberBlock free = block_at(network, inputs, {}, 7);
    network.set_noise_ranges({{-0.3F, 0.2F}, {0.1F, 0.1F}});
    const MemberBlock bounded = block_at(network, inputs, {}, 7);
    for (std::size_t i = 0; i < inputs.rows(); ++i) {
      const double low = plain_variance(link, static_cast<double>(-0.3F));
      const double high = plain_variance(link, static_cast<double>(0.2F));
      EXPECT_NEAR(bounded.variance(i, 0), std::clamp(free.variance(i, 0), low, high), 1e-6);
      EXPECT_NEAR(bounded.variance(i, 1), plain_variance(link, static_cast<double>(0.1F)), 1e-6);
      EXPECT_EQ(bounded.mean(i, 0), free.mean(i, 0));
    }
  }
}

TEST(Mlp, RefusesNoiseRangesThatDoNotFit) {
  Mlp network({.inputs = 1, .hidden = {}, .outputs = 2, .noise = NoiseKind::per_output});
  EXPECT_THAT(
      [&] {
        network.set_noise_ranges({{0, 1}});
      },
      test::Fails(ErrorCode::usage, "2 noise units", "1 noise ranges"));
  EXPECT_THAT([&] { network.set_noise_ranges({{0, 1}, {2, 1}}); }, test::Fails(ErrorCode::usage, "from 2 to 1"));
}

TEST(Mlp, KeepsPadsZeroAndReturnsWhatWasSet) {
  const MlpShape shape{.inputs = 3, .hidden = {17}, .outputs = 2, .noise = NoiseKind::constant};
  Mlp network(shape);
  const BasicMatrix<float> weight(17, 3, 2.0F);
  network.set_layer(0, weight, std::vector<float>(17, 3.0F));
  EXPECT_EQ(network.weight(0), weight);
  EXPECT_EQ(network.bias(0), std::vector<float>(17, 3.0F));
  EXPECT_EQ(test::squared_norm(network), 17 * (3 * 4.0 + 9.0));
  EXPECT_EQ(std::ranges::count(network.parameters(), 0.0F),
            static_cast<std::ptrdiff_t>(network.parameters().size() - 17 * 4));
}

TEST(Mlp, ShowsTheMeanHeadWithoutTheNoise) {
  const Mlp network = random_network({.inputs = 2, .hidden = {4}, .outputs = 2, .noise = NoiseKind::per_output}, 8);
  const BasicMatrix<float> head = network.weight(1);
  ASSERT_EQ(head.rows(), 4U);
  const Matrix mean = network.mean_weight();
  ASSERT_EQ(mean.rows(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(mean(k, j), head(k, j));
    EXPECT_EQ(network.mean_bias()[k], network.bias(1)[k]);
  }
}

TEST(Mlp, LeavesConstantNoiseOutsideThePrior) {
  Mlp network({.inputs = 1, .hidden = {}, .outputs = 3, .noise = NoiseKind::constant});
  ASSERT_EQ(network.constant_noise().size(), 3U);
  network.constant_noise()[1] = 5;
  EXPECT_EQ(test::squared_norm(network), 0);
  EXPECT_EQ(network.prior_size() + 3, network.parameters().size());
  EXPECT_TRUE(Mlp({.inputs = 1, .outputs = 3, .noise = NoiseKind::shared}).constant_noise().empty());
}

TEST(Mlp, KeepsFrequenciesBehindConstantNoiseAndOutsideThePrior) {
  const MlpShape shape{.inputs = 4, .hidden = {5}, .outputs = 2, .noise = NoiseKind::constant, .frequencies = 3};
  EXPECT_EQ(shape.embedded_inputs(), 4U * 7U);
  EXPECT_EQ(shape.layer(0).in, 4U * 7U);
  EXPECT_EQ(shape.layer(1).in, 5U);
  EXPECT_EQ(shape.features(), 5U);
  Mlp network(shape);
  ASSERT_EQ(network.frequencies().size(), 4U * 3U);
  ASSERT_EQ(network.constant_noise().size(), 2U);
  EXPECT_EQ(network.prior_size() + 2 + 12, network.parameters().size());
  EXPECT_EQ(network.frequencies().data(), network.constant_noise().data() + 2);
  network.frequencies()[11] = 3;
  EXPECT_EQ(network.parameters().back(), 3);
  EXPECT_EQ(test::squared_norm(network), 0);
  EXPECT_TRUE(Mlp({.inputs = 4}).frequencies().empty());
}

TEST(Mlp, RefusesShapesWithoutUnits) {
  EXPECT_THAT([] { Mlp({.inputs = 0}); }, test::Fails(ErrorCode::usage, "0 inputs"));
  EXPECT_THAT([] { Mlp({.inputs = 1, .outputs = 0}); }, test::Fails(ErrorCode::usage, "0 outputs"));
  EXPECT_THAT([] { Mlp({.inputs = 1, .hidden = {3, 0}}); }, test::Fails(ErrorCode::usage, "layer 1"));
  EXPECT_THAT(
      [] {
        Mlp network({.inputs = 2, .hidden = {3}});
        network.set_layer(0, BasicMatrix<float>(2, 3), std::vector<float>(3));
      },
      test::Fails(ErrorCode::usage, "expected 3 x 2"));
}

}  // namespace
}  // namespace credens::model
