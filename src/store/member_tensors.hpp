// SPDX-License-Identifier: Apache-2.0
//
// A member's numbers as tensors of a file. docs/model-format.md lists their names and shapes.

#pragma once

#include <optional>
#include <vector>

#include "model/ensemble_state.hpp"
#include "store/safetensors.hpp"

namespace credens::store {

/// All of a member but the values of its tensors.
struct MemberOutline {
  std::size_t index = 0;
  std::size_t features = 0;                ///< p
  std::size_t outputs = 0;                 ///< q
  std::optional<model::MlpShape> network;  ///< none for a member made from arrays
  model::MemberPosterior posterior;        ///< without variance and factor
};

/// The double tensors of a member (its posterior), and its float tensors (its network).
void append_posterior_tensors(const model::Member& member, std::vector<Tensor>& tensors);
void append_network_tensors(const model::Member& member, std::vector<Tensor>& tensors);

/// The member that outline and tensors describe; takes its tensors out of the map. Throws model for a tensor that is
/// missing or has another type or shape; its values are not looked at. Allocates only what tensors of the file fill.
model::Member read_member(const MemberOutline& outline, TensorMap& tensors);

/// Throws model where a tensor is left that no member took.
void check_all_taken(const TensorMap& tensors);

}  // namespace credens::store
