// SPDX-License-Identifier: Apache-2.0
//
// The ensemble of arrays before it is widened: shapes, names and last layers, without networks.

#pragma once

#include <credens/member_outputs.hpp>
#include <credens/widen.hpp>

#include <optional>
#include <vector>

#include "learn/widen.hpp"
#include "model/ensemble_state.hpp"
#include "model/likelihood.hpp"

namespace credens::learn {

/// Throws usage without a prior precision. Without a posterior it is isotropic, for classes full.
WidenPlan plan_for_arrays(const WidenOptions& options, Task task);

/// The parts that belong to members and outputs alone.
MemberOutputs without_rows(const MemberOutputs& outputs);

/// The parts of `about` that belong to members and outputs, with arrays of no rows that have these widths. Throws as
/// check(MemberOutputs).
MemberOutputs with_shapes(const MemberOutputs& about, const std::vector<std::size_t>& features,
                          const model::Likelihood& likelihood);

model::EnsembleState array_state(const MemberOutputs& described, std::size_t rows);

/// |W|^2 of a member, of classes that of their contrasts; none where last layers are missing, or where the bias is
/// random: arrays carry no biases.
std::optional<double> squared_norm(const MemberOutputs& outputs, std::size_t member, bool random_bias);

}  // namespace credens::learn
