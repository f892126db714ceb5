// SPDX-License-Identifier: Apache-2.0
//
// A member in a file: its object in the document and its numbers as tensors. docs/model-format.md lists their names and
// shapes.

#pragma once

#include <string>
#include <vector>

#include "model/ensemble_state.hpp"
#include "store/json.hpp"
#include "store/safetensors.hpp"

namespace credens::store {

/// The fields of a member, for the caller who opens its object.
const std::vector<std::string>& member_keys();

Json member_to_json(const model::Member& member);

/// The double tensors of a member (its posterior), and its float tensors (its network).
void append_posterior_tensors(const model::Member& member, std::vector<Tensor>& tensors);
void append_network_tensors(const model::Member& member, std::vector<Tensor>& tensors);

/// The shape and posterior that all members of a file share.
struct CommonParts {
  model::MlpShape shape;             ///< inputs (0 without networks), outputs and noise
  model::MemberPosterior posterior;  ///< kind and whether the bias is random
};

/// The member that its object and tensors describe; takes its tensors out of the map. Throws model for a field or
/// tensor that is missing or has another type or shape; the values of tensors are not looked at. Allocates only what
/// tensors of the file fill.
model::Member read_member(const JsonObject& object, const CommonParts& common, TensorMap& tensors);

/// Throws model where a tensor is left that no member took.
void check_all_taken(const TensorMap& tensors);

}  // namespace credens::store
