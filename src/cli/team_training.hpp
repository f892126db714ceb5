// SPDX-License-Identifier: Apache-2.0
//
// Members that the ranks of a team train apart. Rank 0 gets each as soon as it is finished, so that nothing is lost
// where folders are not shared, and in the end all ranks have all.

#pragma once

#include <credens/fit.hpp>

#include <vector>

#include "base/team.hpp"
#include "cli/progress.hpp"
#include "learn/train_members.hpp"
#include "learn/training_rows.hpp"
#include "model/ensemble_state.hpp"
#include "store/checkpoint.hpp"

namespace credens::cli {

struct TeamTask {
  base::Team& team;
  const learn::TrainingRows& train;
  FitOptions options;  ///< with a token that stops when the user or the team does
  store::FitIdentity identity;
  ProgressKind progress = ProgressKind::automatic;
  learn::OnMember keep;  ///< called at rank 0
};

/// The finished and the missing members, which rank 0 alone knows, by index. Throws what another rank failed with.
std::vector<model::Member> train_in_team(const TeamTask& task, std::vector<model::Member> finished,
                                         const std::vector<std::size_t>& missing);

}  // namespace credens::cli
