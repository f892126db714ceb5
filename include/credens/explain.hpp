// SPDX-License-Identifier: Apache-2.0
//
// Why a prediction is what it is: what each input contributes to mean, noise and ignorance of a row (Shapley values).

#pragma once

#include <credens/ensemble.hpp>
#include <credens/matrix.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace credens {

struct ExplainOptions {
  MatrixView background = {};  ///< [B x d]: rows whose mean prediction is the base; empty: those that are explained
  std::size_t draws = 64;      ///< pairs of opposite orders of the inputs, from 2 on, each from one background row
  std::uint64_t seed = 0;
  int threads = 0;  ///< 0: all cores
  std::function<void(std::size_t rows_done)> on_progress = {};  ///< called by one thread at a time
};

/// value = base + sum of the contributions, for each row and output.
struct Contributions {
  std::vector<double> base = {};            ///< [q]: mean over the background rows that were drawn
  Matrix value = {};                        ///< [N x q]
  std::vector<Matrix> of_inputs = {};       ///< q of [N x d]
  std::vector<Matrix> standard_error = {}; ///< q of [N x d]: of drawing orders and background rows
};

/// All in the units of the outputs.
struct Explanation {
  Contributions mean;
  Contributions noise;      ///< aleatoric standard deviation; known noise is no matter of inputs and left out
  Contributions ignorance;  ///< epistemic standard deviation
};

/// The contribution of an input is its Shapley value: what changes when a background row takes the row's value of this
/// input, averaged over all orders in which inputs can be changed and over background rows. Orders are drawn, the same
/// for all rows, so a row's explanation does not depend on the rows beside it. Throws usage for a classification.
Explanation explain(const Ensemble& ensemble, MatrixView inputs, const ExplainOptions& options = {});

/// How much an input matters to a quantity, over all explained rows.
struct InputShare {
  double share = 0;   ///< of the sum over inputs of their mean absolute contributions; 0 where nothing contributes
  double spread = 0;  ///< standard deviation of its contributions over rows, in units of the output
};

std::vector<InputShare> input_shares(const Contributions& contributions, std::size_t output);  ///< [d]

}  // namespace credens
