// SPDX-License-Identifier: Apache-2.0
//
// Small ensembles of every kind with random weights, and folders to put files in.

#pragma once

#include <credens/ensemble.hpp>
#include <credens/error.hpp>
#include <credens/network.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "model/ensemble_state.hpp"
#include "support/temporary_folder.hpp"

namespace credens::store {

struct Example {
  PosteriorKind posterior = PosteriorKind::isotropic;
  NoiseKind noise = NoiseKind::shared;
  NoiseLink link = NoiseLink::softplus;
  bool random_bias = false;
  bool networks = true;
  std::size_t inputs = 2;
  std::size_t outputs = 1;
  std::vector<std::vector<std::size_t>> hidden = {{3}};  ///< dealt to the members in turn
  std::vector<Activation> activations = {Activation::relu};
  std::vector<std::size_t> members = {0, 1};  ///< their indices
  std::size_t total_members = 2;
  std::vector<double> weights = {};  ///< empty: uniform
  std::uint64_t seed = 7;
  std::vector<std::size_t> frequencies = {0};     ///< dealt to the members in turn
  bool bent = false;                              ///< all inputs but the first
  bool bounded = false;                           ///< the noise of members with an even index
  std::size_t classes = 0;                        ///< of a classification, in place of outputs; 0: a regression
  bool promised = false;                          ///< by two groups of calibration rows
  std::vector<data::InputEncoding> columns = {};  ///< of the inputs, which are as many; empty: all are numbers
};

model::EnsembleState example_state(const Example& example);
Ensemble example_ensemble(const Example& example);
Ensemble make_ensemble(model::EnsembleState state);

/// The members of `whole` with these indices, as a part of it.
Ensemble part_of(const Ensemble& whole, const std::vector<std::size_t>& indices);

/// Rows for an ensemble of `inputs` inputs.
Matrix example_inputs(std::size_t rows, std::size_t inputs);

void expect_same_member(const model::Member& a, const model::Member& b);
void expect_same_state(const model::EnsembleState& a, const model::EnsembleState& b);

using test::TemporaryFolder;

/// The error that `action` throws: its code and sentence. Fails the test where it throws none.
struct Thrown {
  ErrorCode code = ErrorCode::failure;
  std::string sentence = "nothing was thrown";
};
Thrown thrown_by(const std::function<void()>& action);

}  // namespace credens::store
