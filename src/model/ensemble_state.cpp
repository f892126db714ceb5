// SPDX-License-Identifier: Apache-2.0

#include "model/ensemble_state.hpp"

#include <cmath>

namespace credens::model {

std::optional<std::string> stored_option(const EnsembleState& state, std::string_view name) {
  for (const auto& [stored_name, value] : state.options) {
    if (stored_name == name) return base::to_text(value);
  }
  return std::nullopt;
}

std::optional<double> ensemble_elbo(const EnsembleState& state, PosteriorKind kind) {
  double sum = 0;
  for (std::size_t l = 0; l < state.members.size(); ++l) {
    const double weight = state.weights[l];
    if (weight == 0) continue;
    const std::optional<double> elbo = state.members[l].posterior.elbo.of(kind);
    if (!elbo) return std::nullopt;
    sum += weight * (*elbo - std::log(weight));
  }
  return sum;
}

}  // namespace credens::model
