// SPDX-License-Identifier: Apache-2.0
//
// The processes that mpirun started, as a team. Rank 0 alone prints and writes.

#pragma once

#include <credens/error.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/team.hpp"

namespace credens::cli {

/// How mpirun started this process.
struct Launch {
  std::size_t rank = 0;
  std::size_t size = 1;
};

/// From what OpenMPI's mpirun, and nothing else, puts into the environment; otherwise rank 0 of 1.
Launch launch();

/// Of several processes by another launcher than OpenMPI's mpirun, as far as its environment tells.
std::optional<Launch> foreign_launch();

/// The team that this process has joined; it alone if none.
base::Team& team();

/// Loads the module with MPI and joins the other processes. `words` must be the same for all.
void join_team(const Launch& launch, std::string_view words);

/// Tells the others of the team that this process fails. True: it is this process that says why.
bool tell_team(ErrorCode code, std::string_view sentence);

/// Ends this process and its team at once, and needs no memory. Returns where there is no team.
void abort_team(int status);

/// The status to end with, once all others are about to end too.
int leave_team(int status);

}  // namespace credens::cli
