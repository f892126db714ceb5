// SPDX-License-Identifier: Apache-2.0

#include "learn/adam.hpp"

#include <cmath>

#include "math/kernels.hpp"

namespace credens::learn {

void Adam::step(double rate, const Decay& decay, std::span<const float> gradient, model::Mlp& network,
                BackwardWeights& transposed) {
  math::AdamStep step{};
  beta1_power_ *= static_cast<double>(step.beta1);
  beta2_power_ *= static_cast<double>(step.beta2);
  step.rate = static_cast<float>(rate / (1 - beta1_power_));
  step.root_scale = static_cast<float>(1 / std::sqrt(1 - beta2_power_));

  const std::size_t head = network.shape().layers() - 1;
  for (std::size_t i = 0; i <= head; ++i) {
    step.decay = static_cast<float>(i == head ? decay.head : decay.hidden);
    const std::size_t at = network.layer_offset(i);
    math::adam_layer(step, network.shape().layer(i), gradient.data() + at, network.layer(i), first_.data() + at,
                     second_.data() + at, transposed.layer(i));
  }
  step.decay = 0;
  const auto step_at = [&](std::size_t at, std::size_t count) {
    math::adam(step, count, gradient.data() + at, network.parameters().data() + at, first_.data() + at,
               second_.data() + at);
  };
  const std::size_t covered = network.prior_size();
  step_at(covered, network.tables_offset() - covered);
  step.decay = static_cast<float>(decay.hidden);
  step_at(network.tables_offset(), network.tables().size());
}

}  // namespace credens::learn
