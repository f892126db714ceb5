// SPDX-License-Identifier: Apache-2.0
//
// Members as a graph: those whose networks have the same shape are stacked and pass through one product per layer.
//
// Letters: g members of a group, n rows, d numbers and dates, k frequencies per number, p features, P random weights
// per output, q outputs.

#pragma once

#include <optional>
#include <vector>

#include "model/ensemble_state.hpp"
#include "store/onnx_graph.hpp"
#include "store/onnx_inputs.hpp"

namespace credens::store {

/// Members of one shape.
using MemberGroup = std::vector<const model::Member*>;

/// The members that count, in groups by the first of each; `weights` receives theirs in the order of the groups.
std::vector<MemberGroup> member_groups(const model::EnsembleState& state, std::vector<double>& weights);

/// Predictions of all members at each row, in network units and double: [members, n, q], or 1 in place of q where
/// outputs share a value.
struct MemberValues {
  OnnxValue mean;                   ///< of classes the logits
  std::optional<OnnxValue> noise;   ///< learned variance; n = 1 where it is constant; none where noise is known
  std::optional<OnnxValue> within;  ///< phi^T Sigma_k phi; none of a delta posterior
};

MemberValues member_values(OnnxGraph& graph, const std::vector<MemberGroup>& groups, const EncodedInputs& inputs);

}  // namespace credens::store
