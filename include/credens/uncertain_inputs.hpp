// SPDX-License-Identifier: Apache-2.0
//
// Predictions where inputs are known with a standard uncertainty only (JCGM 100 and 101): a third part of the
// uncertainty beside noise and ignorance.

#pragma once

#include <credens/ensemble.hpp>
#include <credens/matrix.hpp>
#include <credens/predictive.hpp>

#include <cstdint>
#include <vector>

namespace credens {

/// Errors of c inputs, normal and independent between rows.
struct UncertainInputs {
  std::vector<std::size_t> columns = {};  ///< of the model's inputs; numbers, no words or dates
  Matrix std = {};  ///< standard uncertainties [N x c], or [1 x c] for all rows; empty where `covariance` is given
  Matrix covariance = {};  ///< [c x c], for all rows
};

enum class InputMethod {
  draws,        ///< quasi-random draws of the inputs, each through the exact mixture
  first_order,  ///< the members' slopes (law of propagation of uncertainty)
};

struct InputOptions {
  InputMethod method = InputMethod::draws;
  std::size_t draws = 0;   ///< 0: 256, more with more than 31 uncertain inputs
  std::uint64_t seed = 0;  ///< of the draws
};

/// The mixtures at `inputs` [N x d] with uncertain inputs. By draws they have draws times members components for each
/// row, so ask for few thousand rows at a time. Missing cells have no error. Throws usage for columns that have none.
Predictive predict(const Ensemble& ensemble, MatrixView inputs, const UncertainInputs& uncertain,
                   const InputOptions& options = {}, const PredictOptions& predict_options = {});

/// Draws at inputs that are drawn too, for each draw and row anew. Rows are counted from `first_row`: some rows at a
/// time give what all at once do.
Samples sample(const Ensemble& ensemble, MatrixView inputs, const UncertainInputs& uncertain,
               const SampleOptions& options = {}, std::size_t first_row = 0);

}  // namespace credens
