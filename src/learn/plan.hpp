// SPDX-License-Identifier: Apache-2.0
//
// From what a user gave and what the training rows look like to what is done: every choice made, with its reason.

#pragma once

#include <credens/fit.hpp>

#include <vector>

#include "learn/training_rows.hpp"
#include "model/ensemble_state.hpp"

namespace credens::learn {

struct DataSize {
  std::size_t rows = 0;
  std::size_t inputs = 0;
  std::size_t outputs = 0;
};

struct Plan {
  FitOptions options;                      ///< all choices made, but the posterior where held-out rows decide it
  std::vector<model::Decision> decisions;  ///< those that the recipe auto made
};

/// Choices that were given stay, and the others adapt to them. A plan's options are their own plan.
Plan make_plan(const FitOptions& given, const DataSize& size);
/// Rows of weight 0, and those that are held back to stop training by, are not there to plan with.
Plan make_plan(const FitOptions& given, const TrainingRows& train);

}  // namespace credens::learn
