// SPDX-License-Identifier: Apache-2.0
//
// The plan of a fit: every choice made, from the given options and the size of the training data, with its reason.

#pragma once

#include <credens/fit.hpp>

#include <vector>

#include "learn/training_table.hpp"
#include "model/ensemble_state.hpp"

namespace credens::learn {

struct DataSize {
  std::size_t rows = 0;
  std::size_t units = 0;  ///< of rows that are held out together; 0: every row is one
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  std::size_t classes = 0;  ///< 0: a regression
};

struct Plan {
  FitOptions options;                      ///< all choices made, but the posterior where held-out rows decide it
  std::vector<model::Decision> decisions;  ///< those that the recipe auto made
};

/// Choices that were given stay, and the others adapt to them. A plan's options are their own plan.
Plan make_plan(const FitOptions& given, const DataSize& size);
/// Counts neither rows of weight 0 nor validation rows.
Plan make_plan(const FitOptions& given, const TrainingTable& train);

}  // namespace credens::learn
