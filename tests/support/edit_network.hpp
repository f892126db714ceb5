// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "model/ensemble_state.hpp"

namespace credens::test {

/// Gives a member a copy of its network that `edit` has changed.
template <class Edit>
void edit_network(model::Member& member, Edit edit) {
  auto network = std::make_shared<model::Mlp>(*member.network);
  edit(*network);
  member.network = std::move(network);
}

}  // namespace credens::test
