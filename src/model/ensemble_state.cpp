// SPDX-License-Identifier: Apache-2.0

#include "model/ensemble_state.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "math/statistics.hpp"
#include "model/member_rows.hpp"

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

void for_each_block(const EnsembleState& state, MatrixView inputs, MatrixView noise_std, int threads,
                    const std::function<void(std::size_t, const std::vector<MemberBlock>&)>& visit) {
  require_known_noise(state, inputs.rows(), noise_std);
  const MemberRows rows = rows_of_networks(state, inputs, noise_std);
  // As many blocks at a time as there are threads: memory does not grow with the rows.
  const std::size_t wave = static_cast<std::size_t>(base::thread_count(threads)) * math::statistics_block;
  for (std::size_t first = 0; first < rows.rows; first += wave) {
    const std::size_t count = std::min(wave, rows.rows - first);
    std::vector<std::vector<MemberBlock>> blocks((count + math::statistics_block - 1) / math::statistics_block);
    base::parallel_for(blocks.size(), threads, [&](std::size_t index) {
      const std::size_t offset = index * math::statistics_block;
      blocks[index] = rows.block(first + offset, std::min(math::statistics_block, count - offset));
    });
    for (std::size_t index = 0; index < blocks.size(); ++index) {
      visit(first + index * math::statistics_block, blocks[index]);
    }
  }
}

}  // namespace credens::model
