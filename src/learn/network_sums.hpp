// SPDX-License-Identifier: Apache-2.0
//
// Sums over the training rows of each member's network: everything that widening needs to know of the rows.

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/team.hpp"
#include "learn/encoded_blocks.hpp"
#include "learn/statistics.hpp"
#include "learn/widen_plan.hpp"
#include "model/ensemble_state.hpp"

namespace credens::learn {

/// G_k and |W|^2 of one member.
struct MemberSums {
  MemberStatistics statistics;
  double squared_norm = 0;
};

/// Sums over all blocks, one per member, by the threads and ranks that there are; their number changes no bit. Ranks of
/// a team all come here with the same members and rows, and all get the sums.
std::vector<MemberSums> sum_rows(std::span<const model::Member> members, std::size_t outputs, bool known_noise,
                                 EncodedBlocks& blocks, const WidenPlan& plan, base::Team& team = base::alone());

/// The ensemble with the posteriors that the sums give its members.
Ensemble with_posteriors(model::EnsembleState state, const WidenPlan& plan, const std::vector<MemberSums>& sums);

}  // namespace credens::learn
