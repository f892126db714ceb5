// SPDX-License-Identifier: Apache-2.0
//
// Conditions on every model file, checked before one is written and after one was read.

#pragma once

#include "model/ensemble_state.hpp"

namespace credens::store {

constexpr std::size_t most_members = 100'000;

/// Throws model unless the state is sound and says nothing that a file cannot: one kind of noise for all networks,
/// names in UTF-8.
void check_storable(const model::EnsembleState& state);

/// Throws model unless a file can hold this member, which has a network.
void check_storable(const model::Member& member);

}  // namespace credens::store
