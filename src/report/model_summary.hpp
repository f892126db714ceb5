// SPDX-License-Identifier: Apache-2.0
//
// Summaries of a model, for people and for programs.

#pragma once

#include <credens/ensemble.hpp>

#include <string>
#include <vector>

#include "data/encoder.hpp"
#include "report/table.hpp"

namespace credens::report {

/// The ladder of posteriors above the point.
constexpr PosteriorKind rungs[] = {PosteriorKind::isotropic, PosteriorKind::diagonal, PosteriorKind::full};

/// The document of `inspect --json`.
Json model_json(const Ensemble& ensemble);

/// The labels of inputs, with what is not a number that is always there: `colour (4 words)`.
std::vector<std::string> inputs_with_kinds(const data::Schema& schema, const data::Encoder& encoder);

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
