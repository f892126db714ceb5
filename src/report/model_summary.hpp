// SPDX-License-Identifier: Apache-2.0
//
// Summaries of a model, for people and for programs.

#pragma once

#include <credens/ensemble.hpp>

#include "report/table.hpp"

namespace credens::report {

/// The document of `inspect --json`.
Json model_json(const Ensemble& ensemble);

/// The columns that the model reads and predicts.
Lines column_lines(const model::EnsembleState& state);

/// Weight and settings of each configuration of members, by the recipe's decisions.
Lines configuration_lines(const model::EnsembleState& state);

/// Inputs, outputs, members, posterior, widths and ELBO in a few lines.
Lines model_lines(const Ensemble& ensemble);

/// Features, weight, width and ELBO of each member.
Table members_table(const model::EnsembleState& state);

/// The options of training, and the fingerprint of its rows.
Lines option_lines(const model::EnsembleState& state);

}  // namespace credens::report
