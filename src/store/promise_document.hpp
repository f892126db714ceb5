// SPDX-License-Identifier: Apache-2.0
//
// A promise in a model file: its groups in the document, their scores as tensors.

#pragma once

#include <vector>

#include "model/ensemble_state.hpp"
#include "store/json.hpp"
#include "store/safetensors.hpp"

namespace credens::store {

/// Null where there is none.
Json promise_to_json(const model::EnsembleState& state);

void append_promise_tensors(const model::EnsembleState& state, std::vector<Tensor>& tensors);

/// The field `promise` of a document, if there is one, whose scores leave the map. Throws model.
void read_promise(const JsonObject& document, TensorMap& tensors, model::EnsembleState& state);

}  // namespace credens::store
