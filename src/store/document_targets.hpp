// SPDX-License-Identifier: Apache-2.0
//
// The targets in the document of a model: numbers with shift and scale, or classes.

#pragma once

#include "model/ensemble_state.hpp"
#include "store/json.hpp"

namespace credens::store {

/// Positions of columns, the field `columns` of a part.
std::vector<std::size_t> positions_in(const JsonObject& part);

/// Columns without units have no such key.
void read_units(const JsonObject& part, std::vector<data::Column>& columns, std::string_view what);

Json targets_to_json(const model::EnsembleState& state);

/// Fills task, targets, classes and the scaler of the targets. Throws model.
void read_targets(const JsonObject& document, model::EnsembleState& state);

}  // namespace credens::store
