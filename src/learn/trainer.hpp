// SPDX-License-Identifier: Apache-2.0
//
// One member from its first random weights to its last epoch. A member depends on (data, options, seed, index) alone.

#pragma once

#include <credens/fit.hpp>

#include <functional>

#include "learn/training_rows.hpp"
#include "model/ensemble_state.hpp"

namespace credens::learn {

struct TrainedMember {
  model::Member member;
  std::size_t attempt = 0;  ///< 0 unless earlier attempts diverged
  double final_loss = 0;    ///< weighted mean of l_i over the training rows
};

/// A step of the training, counted from 0.
struct StepPlace {
  std::size_t epoch = 0;
  std::size_t epochs = 0;
  std::size_t step = 0;  ///< over all epochs
  std::size_t steps = 0;
};

/// The learning rate of a step. The last five epochs are all of them if there are fewer.
double scheduled_rate(Schedule schedule, double rate, const StepPlace& place);

/// Uniform in +-1/sqrt(fan-in), weights and biases; constant noise starts at variance 1. Frequencies are normal with
/// standard deviation `bandwidth`.
model::Mlp initial_network(const model::MlpShape& shape, std::uint64_t seed, std::size_t member, std::size_t attempt,
                           double bandwidth = 0);

/// Trains member `index`, again from its next attempt when it diverged (loss not finite, or above divergence_limit), at
/// most 3 times more; then throws numerical naming it. With validation rows it keeps its epoch of lowest loss there.
/// `on_epoch(epochs_done)` after each epoch; throws interrupted on stop.
TrainedMember train_member(const TrainingRows& train, const FitOptions& options, std::size_t index,
                           const std::function<void(std::size_t)>& on_epoch);

}  // namespace credens::learn
