// SPDX-License-Identifier: Apache-2.0
//
// Training: L independent networks as maximum a posteriori estimates.

#pragma once

#include <credens/choice.hpp>
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
  cosine,           ///< up within the first 50 steps, then to 0 along half a cosine, step by step
};

enum class Recipe {
  automatic,  ///< decides from the training rows what was not given
  paper,      ///< the procedure of the paper's experiments with real data
};

/// How much work the automatic recipe may do.
enum class Effort { quick, normal, thorough };

struct Progress {
  std::size_t members_done = 0;
  std::size_t members = 0;
  double fraction = 0;  ///< of all epochs of all members
  double seconds_elapsed = 0;
  double seconds_left = 0;  ///< an estimate
};

/// An amount of memory; 0 bytes: whoever uses it decides.
struct MemorySize {
  std::uint64_t bytes = 0;

  bool operator==(const MemorySize&) const = default;
};

/// The recipe decides choices that are not given. The first group determines the result and is stored with the model;
/// the second does not. Several values in a list are cycled over the members: with k values, member i gets value i
/// modulo k.
struct FitOptions {
  Recipe recipe = Recipe::automatic;
  Effort effort = Effort::normal;
  Choice<std::size_t> members = {};
  Choice<std::vector<std::vector<std::size_t>>> hidden = {};  ///< lists of widths
  Choice<std::vector<Activation>> activation = {};
  Choice<std::vector<double>> embedding = {};  ///< bandwidths of the periodic embedding of inputs; 0: none
  Choice<std::size_t> frequencies = {};        ///< per input, of members with an embedding
  Choice<std::size_t> epochs = {};
  Choice<std::size_t> batch = {};
  Choice<std::vector<double>> learning_rate = {};
  Choice<Schedule> schedule = {};
  Choice<std::vector<double>> loss_beta = {};  ///< rows weigh s^2 to this power in the gradient; 0: the likelihood
  Choice<double> prior_precision = {};         ///< lambda
  Choice<std::vector<double>> hidden_precision = {};  ///< lambda of the hidden layers; without a choice the same
  Choice<NoiseKind> noise = {};
  Choice<NoiseLink> noise_link = {};
  Choice<PosteriorKind> posterior = {};
  bool random_bias = false;
  bool standardise_inputs = true;
  Choice<bool> asinh_inputs = {};     ///< heavy-tailed inputs through asinh
  Choice<std::size_t> folds = {};     ///< each member is trained without one fold; 1: all without the same rows
  Choice<bool> recalibrate = {};      ///< the noise, by held-out rows
  Choice<bool> correct_size = {};     ///< in recalibration: all members predict a new row, only some a held-out row
  Choice<bool> weigh_members = {};    ///< by the likelihood of their held-out rows
  Choice<bool> leave_out_slips = {};  ///< rows whose targets are hard to believe
  double validation_fraction = 0;     ///< > 0: rows held out; each member keeps its epoch of lowest validation loss
  std::size_t patience = 20;          ///< epochs without a better validation loss before a member stops
  std::uint64_t seed = 0;

  int threads = 0;                      ///< 0: all cores
  MemorySize memory = {};               ///< for rows; not given: half of what this process may have
  const Dataset* validation = nullptr;  ///< rows of their own for early stopping, instead of a fraction
  std::function<void(const Progress&)> on_progress = {};  ///< called by one thread at a time
  std::function<void(std::string_view)> on_warning = {};  ///< one sentence
  std::stop_token stop = {};                              ///< stops with ErrorCode::interrupted
};

/// Trains, calibrates and widens.
Ensemble fit(const Dataset& train, const FitOptions& options = {});

/// Trains and calibrates. The result is narrow (`delta`) and remembers rung and lambda for `widen`, which makes of it
/// what `fit` gives.
Ensemble fit_members(const Dataset& train, const FitOptions& options = {});

}  // namespace credens
