// SPDX-License-Identifier: Apache-2.0

#include "learn/adam.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/aligned.hpp"
#include "learn/trainer.hpp"
#include "support/edit_network.hpp"

namespace credens::learn {
namespace {

TEST(Adam, PullsWeightsButNoFrequenciesAndKeepsBothCopiesOfTheFirstLayer) {
  const model::MlpShape shape{.inputs = 3, .hidden = {5}, .frequencies = 2};
  model::Mlp network = initial_network(shape, 1, 0, 0, 1);
  const model::Mlp before = network;
  BackwardWeights transposed(network);
  Adam adam(network.parameters().size());
  base::AlignedVector<float> gradient(network.parameters().size());
  adam.step(0.01, {.hidden = 1, .head = 1}, gradient, network, transposed);
  EXPECT_TRUE(std::ranges::equal(network.frequencies(), before.frequencies()));
  EXPECT_LT(test::squared_norm(network), test::squared_norm(before));
  const BackwardWeights fresh(network);
  for (std::size_t layer = 0; layer < shape.layers(); ++layer) {
    EXPECT_TRUE(std::equal(fresh.layer(layer), fresh.layer(layer) + shape.layer(layer).transposed_size(),
                           transposed.layer(layer)));
  }
  gradient.back() = 1;
  adam.step(0.01, {}, gradient, network, transposed);
  EXPECT_LT(network.frequencies().back(), before.frequencies().back());
}

TEST(Adam, PullsHiddenLayersAndTheHeadByTheirOwnDecay) {
  const model::MlpShape shape{.inputs = 3, .hidden = {5, 4}};
  const model::Mlp before = initial_network(shape, 1, 0, 0);
  const base::AlignedVector<float> gradient(before.parameters().size());
  for (const Decay& decay : {Decay{.hidden = 1, .head = 0}, Decay{.hidden = 0, .head = 1}}) {
    model::Mlp network = before;
    BackwardWeights transposed(network);
    Adam(network.parameters().size()).step(0.01, decay, gradient, network, transposed);
    EXPECT_EQ(network.weight(0) == before.weight(0), decay.hidden == 0);
    EXPECT_EQ(network.weight(1) == before.weight(1), decay.hidden == 0);
    EXPECT_EQ(network.weight(2) == before.weight(2), decay.head == 0);
  }
}

}  // namespace
}  // namespace credens::learn
