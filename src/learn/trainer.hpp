// SPDX-License-Identifier: Apache-2.0
//
// One member from its first random weights to its last epoch. A member depends on (data, options, seed, index) alone.

#pragma once

#include <credens/fit.hpp>

#include <functional>
#include <optional>
#include <stop_token>

#include "learn/training_rows.hpp"
#include "model/mlp.hpp"

namespace credens::learn {

struct TrainerInput {
  const TrainingRows& train;
  const TrainingSet* validation;  ///< or null
  const FitOptions& options;
};

struct TrainedNetwork {
  model::Mlp network;
  std::size_t attempt = 0;  ///< 0 unless earlier attempts diverged
  double final_loss = 0;    ///< weighted mean of l_i over the training rows
};

/// Uniform in +-1/sqrt(fan-in), weights and biases; constant noise starts at variance 1. Frequencies are normal with
/// standard deviation `bandwidth`.
model::Mlp initial_network(const model::MlpShape& shape, std::uint64_t seed, std::size_t member, std::size_t attempt,
                           double bandwidth = 0);

/// Trains member `index`, again from its next attempt when it diverged (loss not finite, or above divergence_limit), at
/// most 3 times more; then throws numerical naming it.
/// `on_epoch(epochs_done)` after each epoch; throws interrupted on stop.
TrainedNetwork train_member(const TrainerInput& input, std::size_t index,
                            const std::function<void(std::size_t)>& on_epoch);

}  // namespace credens::learn
