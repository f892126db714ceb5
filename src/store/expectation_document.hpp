// SPDX-License-Identifier: Apache-2.0
//
// Expected scores in the document of a model.

#pragma once

#include "model/ensemble_state.hpp"
#include "store/json.hpp"

namespace credens::store {

/// Null where there are none.
Json expectation_to_json(const model::EnsembleState& state);

/// The field `expected` of a document, if there is one. Throws model.
void read_expectation(const JsonObject& document, model::EnsembleState& state);

}  // namespace credens::store
