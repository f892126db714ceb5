// SPDX-License-Identifier: Apache-2.0
//
// Training: L independent networks as maximum a posteriori estimates.

#pragma once

#include <credens/dataset.hpp>
#include <credens/ensemble.hpp>
#include <credens/network.hpp>

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace credens {

enum class Schedule {
  constant,
  drop_last_five,   ///< the rate times 0.1 in the last five epochs (the paper's simulated data)
  halve_last_five,  ///< the rate halved in each of the last five epochs (the paper's real data)
  cosine,           ///< from the rate to 0 along half a cosine
};

enum class Recipe { paper };

struct Progress {
  std::size_t members_done = 0;
  std::size_t members = 0;
  double fraction = 0;  ///< of all epochs of all members
  double seconds_elapsed = 0;
  double seconds_left = 0;  ///< an estimate
};

/// The first group determines the result and is stored with the model; the second does not.
struct FitOptions {
  Recipe recipe = Recipe::paper;
  std::size_t members = 10;
  std::vector<std::vector<std::size_t>> hidden = {
      {128, 64, 32}};                                       ///< widths; several lists are dealt to the members in turn
  std::vector<Activation> activation = {Activation::relu};  ///< several are dealt to the members in turn
  std::size_t epochs = 60;
  std::size_t batch = 64;
  double learning_rate = 1e-3;
  Schedule schedule = Schedule::halve_last_five;
  double prior_precision = 1.0;  ///< lambda
  NoiseKind noise = NoiseKind::shared;
  NoiseLink noise_link = NoiseLink::softplus;
  PosteriorKind posterior = PosteriorKind::isotropic;
  bool random_bias = false;
  bool standardise_inputs = true;
  double validation_fraction = 0;  ///< > 0: rows held back; each member keeps its epoch with the lowest validation loss
  std::size_t patience = 20;       ///< epochs without a better validation loss before a member stops
  std::uint64_t seed = 0;

  int threads = 0;                      ///< 0: all cores
  const Dataset* validation = nullptr;  ///< rows of their own for early stopping, instead of a fraction
  std::function<void(const Progress&)> on_progress = {};  ///< called by one thread at a time
  std::function<void(std::string_view)> on_warning = {};  ///< one sentence
  std::stop_token stop = {};                              ///< stops with ErrorCode::interrupted
};

/// Trains. The result is narrow (`delta`) and remembers rung and lambda for `widen`.
Ensemble fit(const Dataset& train, const FitOptions& options = {});

}  // namespace credens
