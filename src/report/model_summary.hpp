// SPDX-License-Identifier: Apache-2.0
//
// What is in a model, for people and for programs.

#pragma once

#include <credens/ensemble.hpp>

#include "report/document.hpp"
#include "report/table.hpp"

namespace credens::report {

/// The document of `inspect --json`.
Json model_json(const Ensemble& ensemble);

/// Inputs, outputs, members, posterior, widths and ELBO in a few lines.
Lines model_lines(const Ensemble& ensemble);

/// Names of the inputs, or the columns' indices where the training table had none.
std::vector<std::string> input_labels(const model::EnsembleState& state);

/// Features, weight, width and ELBO of each member.
Table members_table(const model::EnsembleState& state);

/// The options of training, and the fingerprint of its rows.
Lines option_lines(const model::EnsembleState& state);

}  // namespace credens::report
