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

/// |theta|^2 of what the prior covers.
inline double squared_norm(const model::Mlp& network) {
  double sum = 0;
  for (const float value : network.parameters().first(network.prior_size())) sum += static_cast<double>(value) * value;
  return sum;
}

}  // namespace credens::test
