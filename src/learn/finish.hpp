// SPDX-License-Identifier: Apache-2.0
//
// From trained members to the ensemble of a fit: noise, member weights and the posterior's rung are decided by held-out
// rows.

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "learn/held_out.hpp"
#include "learn/plan.hpp"
#include "learn/widen.hpp"

namespace credens::learn {

/// A member with the noise of the other sort: narrow for a tail component, wide for any other member.
struct Twin {
  std::shared_ptr<const model::Mlp> network;
  double shift = 0;  ///< its log s^2 minus that of the member: above 0 unless the member is a tail component
};

/// Members that are calibrated, and what widening needs to know.
struct Finished {
  FitOptions options = {};  ///< of the plan; the posterior is decided
  std::vector<model::Member> members = {};
  std::vector<Twin> twins = {};  ///< of the members, where some are tail components; otherwise none
  std::vector<double> weights = {};
  std::vector<model::Decision> decisions = {};
  std::vector<MemberSums> sums = {};  ///< of the members, where the choice of the rung needed them; otherwise none
  std::size_t total_members = 0;      ///< of the whole ensemble: as planned, or without those of negligible weight
  std::optional<JudgingRows> judging = {};  ///< where rows are held out of all members that were planned
};

/// Members as they are, with equal weights.
Finished as_trained(const Plan& plan, std::vector<model::Member> members);

/// `members` are all of the plan. Ranks of a team share the work on all rows.
Finished finish(const TrainingRows& train, const Plan& plan, std::vector<model::Member> members,
                base::Team& team = base::alone());

/// Sums over all rows for posteriors up to the rung `highest`.
std::vector<MemberSums> sum_rows(const TrainingRows& train, std::span<const model::Member> members,
                                 const FitOptions& planned, PosteriorKind highest, base::Team& team = base::alone());

/// Whether so many of all members are a part that waits for the others, because held-out rows decide about all of them.
bool is_unfinished_part(std::size_t members, std::size_t all, const FitOptions& planned);

}  // namespace credens::learn
