// SPDX-License-Identifier: Apache-2.0

#include "model/input_slopes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "model/names.hpp"
#include "support/edit_network.hpp"
#include "support/error_matchers.hpp"
#include "unit/model/plain_activation.hpp"
#include "unit/model/random_ensemble.hpp"

namespace credens::model {
namespace {

using test::Fails;

/// Head of a network at a row of inputs in the units of the data, all in double: differences of it have no rounding of
/// floats in them.
std::vector<double> head_in_double(const EnsembleState& state, std::size_t l, std::vector<double> row) {
  const Mlp& network = *state.members[l].network;
  const MlpShape& shape = network.shape();
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = state.encoder.scaler.apply(j, row[j]);
  std::vector<double> angles;
  for (std::size_t j = 0; j < shape.inputs; ++j) {
    for (std::size_t m = 0; m < shape.frequencies; ++m) {
      angles.push_back(2 * std::numbers::pi * static_cast<double>(network.frequencies()[j * shape.frequencies + m]) *
                       row[j]);
    }
  }
  for (const double angle : angles) row.push_back(std::sin(angle));
  for (const double angle : angles) row.push_back(std::cos(angle));
  for (std::size_t layer = 0; layer < shape.layers(); ++layer) {
    const BasicMatrix<float> weight = network.weight(layer);
    const std::vector<float> bias = network.bias(layer);
    std::vector<double> next(weight.rows());
    for (std::size_t out = 0; out < next.size(); ++out) {
      next[out] = bias[out];
      for (std::size_t in = 0; in < row.size(); ++in) next[out] += static_cast<double>(weight(out, in)) * row[in];
      if (layer + 1 < shape.layers()) next[out] = test::plain_activation(shape.activation, next[out]);
    }
    row = next;
  }
  return row;
}

/// Means in the units of the data and logarithms of the learned noise variance, output by output.
std::vector<double> means_and_log_variances(const EnsembleState& state, std::size_t l, const std::vector<double>& row) {
  const Mlp& network = *state.members[l].network;
  const MlpShape& shape = network.shape();
  const std::vector<double> head = head_in_double(state, l, row);
  std::vector<double> values;
  for (std::size_t k = 0; k < shape.outputs; ++k) values.push_back(head[k] * state.target_scaler.scale[k]);
  for (std::size_t k = 0; k < shape.outputs; ++k) {
    const std::size_t unit = shape.noise == NoiseKind::shared ? 0 : k;
    double raw = shape.noise_units() == 0 ? 0 : head[shape.outputs + unit];
    if (!network.noise_ranges().empty()) {
      const auto [low, high] = network.noise_ranges()[unit];
      raw = std::clamp(raw, static_cast<double>(low), static_cast<double>(high));
    }
    const double variance = shape.noise_link == NoiseLink::exp ? std::exp(raw) : std::log(1 + std::exp(raw));
    values.push_back(std::log(variance + noise_floor));
  }
  return values;
}

/// Every slope against central differences. `kinks` is the share of differences that may step over a kink of relu.
void expect_slopes_of_differences(const EnsembleState& state, const Matrix& inputs, double kinks) {
  const std::size_t q = state.target_scaler.cols();
  SlopeReader reader(state);
  reader.take(inputs);
  std::size_t wrong = 0;
  std::size_t all = 0;
  for (std::size_t l = 0; l < state.members.size(); ++l) {
    const InputSlopes& slopes = reader.member(l);
    for (std::size_t i = 0; i < inputs.rows(); ++i) {
      for (std::size_t j = 0; j < inputs.cols(); ++j) {
        std::vector<double> row(inputs.row(i).begin(), inputs.row(i).end());
        constexpr double step = 1e-5;
        row[j] += step;
        const std::vector<double> above = means_and_log_variances(state, l, row);
        row[j] -= 2 * step;
        const std::vector<double> below = means_and_log_variances(state, l, row);
        for (std::size_t k = 0; k < q; ++k) {
          const double found[] = {slopes.mean(i * q + k, j), slopes.log_variance(i * q + k, j)};
          const double expected[] = {(above[k] - below[k]) / (2 * step), (above[q + k] - below[q + k]) / (2 * step)};
          for (const int which : {0, 1}) {
            wrong += std::abs(found[which] - expected[which]) < 2e-4 * (1 + std::abs(expected[which])) ? 0 : 1;
            ++all;
          }
        }
      }
    }
  }
  EXPECT_LE(static_cast<double>(wrong), kinks * static_cast<double>(all)) << "of " << all;
}

TEST(InputSlopes, AreThoseOfCentralDifferences) {
  const Matrix inputs = random_matrix(6, 3, 5);
  for (const Activation activation :
       {Activation::relu, Activation::tanh, Activation::silu, Activation::gelu, Activation::elu}) {
    for (const NoiseKind noise : {NoiseKind::shared, NoiseKind::per_output}) {
      for (const NoiseLink link : {NoiseLink::softplus, NoiseLink::exp}) {
        for (const std::size_t frequencies : {0, 2}) {
          SCOPED_TRACE(fmt::format("{} {} {} {}", base::name_of(activation), base::name_of(noise), base::name_of(link),
                                   frequencies));
          const EnsembleState state = random_state({.activation = activation,
                                                    .noise = noise,
                                                    .noise_link = link,
                                                    .frequencies = frequencies,
                                                    .bent = frequencies > 0});
          expect_slopes_of_differences(state, inputs, activation == Activation::relu ? 0.01 : 0);
        }
      }
    }
  }
}

TEST(InputSlopes, OfANetworkWithoutHiddenLayersAreItsWeights) {
  expect_slopes_of_differences(random_state({.members = 1, .hidden = {}}), random_matrix(4, 3, 5), 0);
  expect_slopes_of_differences(random_state({.members = 1, .hidden = {}, .frequencies = 3}), random_matrix(4, 3, 5), 0);
}

TEST(InputSlopes, OfConstantAndKnownNoiseAreZero) {
  for (const NoiseKind noise : {NoiseKind::constant, NoiseKind::known}) {
    const EnsembleState state = random_state({.noise = noise});
    SlopeReader reader(state);
    const Matrix inputs = random_matrix(3, 3, 5);
    reader.take(inputs);
    for (const double slope : reader.member(0).log_variance.values()) EXPECT_EQ(slope, 0);
    EXPECT_NE(reader.member(0).mean(0, 0), 0);
  }
}

// A missing cell has no value that could be off, and what is beyond the range of raw noise does not move.
TEST(InputSlopes, AreZeroWhereNothingMoves) {
  EnsembleState state = random_state({.members = 1, .noise = NoiseKind::shared});
  auto network = std::make_shared<Mlp>(*state.members[0].network);
  network->set_noise_ranges({{-100, -99}});
  network->set_substitutes({0, 0, 0});
  state.members[0].network = network;
  Matrix inputs = random_matrix(2, 3, 5);
  inputs(0, 1) = std::numeric_limits<double>::quiet_NaN();
  SlopeReader reader(state);
  reader.take(inputs);
  const InputSlopes& slopes = reader.member(0);
  EXPECT_EQ(slopes.mean(0, 1), 0);
  EXPECT_NE(slopes.mean(0, 0), 0);
  EXPECT_NE(slopes.mean(2, 1), 0);
  for (const double slope : slopes.log_variance.values()) EXPECT_EQ(slope, 0);
}

TEST(InputSlopes, DoNotDependOnTheRowsBesideThem) {
  const EnsembleState state = random_state({.frequencies = 1});
  const Matrix inputs = random_matrix(40, 3, 5);
  SlopeReader reader(state);
  reader.take(inputs);
  const InputSlopes all = reader.member(1);
  reader.take(inputs.view().row_block(17, 1));
  const InputSlopes& one = reader.member(1);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(one.mean(1, j), all.mean(17 * 2 + 1, j));
}

TEST(InputSlopes, NeedNetworks) {
  const Ensemble arrays = without_networks(random_ensemble({}));
  EXPECT_THAT([&] { SlopeReader reader(arrays.state()); }, Fails(ErrorCode::usage, "this model has no networks"));
}

}  // namespace
}  // namespace credens::model
