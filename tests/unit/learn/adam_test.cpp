// SPDX-License-Identifier: Apache-2.0

#include "learn/adam.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/aligned.hpp"
#include "learn/trainer.hpp"

namespace credens::learn {
namespace {

TEST(Adam, PullsWeightsButNoFrequenciesAndKeepsBothCopiesOfTheFirstLayer) {
  const model::MlpShape shape{.inputs = 3, .hidden = {5}, .frequencies = 2};
  model::Mlp network = initial_network(shape, 1, 0, 0, 1);
  const model::Mlp before = network;
  BackwardWeights transposed(network);
  Adam adam(network.parameters().size());
  base::AlignedVector<float> gradient(network.parameters().size());
  adam.step(0.01, 1, gradient, network, transposed);
  EXPECT_TRUE(std::ranges::equal(network.frequencies(), before.frequencies()));
  EXPECT_LT(network.squared_norm(), before.squared_norm());
  const BackwardWeights fresh(network);
  for (std::size_t layer = 0; layer < shape.layers(); ++layer) {
    EXPECT_TRUE(std::equal(fresh.layer(layer), fresh.layer(layer) + shape.layer(layer).transposed_size(),
                           transposed.layer(layer)));
  }
  gradient.back() = 1;
  adam.step(0.01, 0, gradient, network, transposed);
  EXPECT_LT(network.frequencies().back(), before.frequencies().back());
}

}  // namespace
}  // namespace credens::learn
