// SPDX-License-Identifier: Apache-2.0
//
// Explained predictions for people and for programs.

#pragma once

#include <credens/explain.hpp>

#include <string>
#include <vector>

#include "model/ensemble_state.hpp"
#include "report/table.hpp"

namespace credens::report {

/// For each output a table with the shares of all inputs, the largest share of the mean first.
std::vector<Table> share_tables(const Explanation& explanation, const model::EnsembleState& state);

/// Names of the columns of `explanation_values`: for each output y_mean, y_mean_base, y_mean_<input>, ...,
/// y_mean_error, then the same of y_noise and y_ignorance.
std::vector<std::string> explanation_columns(const model::EnsembleState& state);

/// [N x columns]; an error is the largest standard error of the row's contributions.
Matrix explanation_values(const Explanation& explanation);

/// Bases, shares and spreads by output, quantity and input.
Json explanation_json(const Explanation& explanation, const model::EnsembleState& state);

}  // namespace credens::report
