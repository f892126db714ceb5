// SPDX-License-Identifier: Apache-2.0

#include "learn/adam.hpp"

#include <cmath>

#include "math/kernels.hpp"

namespace credens::learn {

void Adam::step(double rate, double decay, std::span<const float> gradient, model::Mlp& network) {
  math::AdamStep step{};
  beta1_power_ *= static_cast<double>(step.beta1);
  beta2_power_ *= static_cast<double>(step.beta2);
  step.rate = static_cast<float>(rate / (1 - beta1_power_));
  step.root_scale = static_cast<float>(1 / std::sqrt(1 - beta2_power_));
  step.decay = static_cast<float>(decay);

  const std::size_t covered = network.prior_size();
  float* theta = network.parameters().data();
  math::adam(step, covered, gradient.data(), theta, first_.data(), second_.data());
  step.decay = 0;
  math::adam(step, network.parameters().size() - covered, gradient.data() + covered, theta + covered,
             first_.data() + covered, second_.data() + covered);
}

}  // namespace credens::learn
