// SPDX-License-Identifier: Apache-2.0
//
// Widening: from point estimates to Gaussians over the last layer, in closed form and without retraining.

#pragma once

#include <credens/dataset.hpp>
#include <credens/ensemble.hpp>

#include <optional>

namespace credens {

struct WidenOptions {
  std::optional<PosteriorKind> posterior = {};  ///< none: what `fit` chose, else isotropic
  std::optional<double> prior_precision = {};   ///< lambda; none: what the members were trained with
  bool evidence = false;                        ///< lambda by maximal evidence; contradicts prior_precision
  std::optional<bool> random_bias = {};         ///< none: what `fit` chose, else off
  int threads = 0;
};

/// A new ensemble whose members are Gaussians over their last layers. `train` is what the members were trained on.
Ensemble widen(const Ensemble& ensemble, const Dataset& train, const WidenOptions& options = {});

/// Step 2 alone, for networks trained elsewhere; needs `prior_precision`, or `evidence` with last layers.
Ensemble widen(const MemberOutputs& outputs, const WidenOptions& options);

}  // namespace credens
