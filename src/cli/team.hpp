// SPDX-License-Identifier: Apache-2.0
//
// The processes that mpirun started, as a team. Rank 0 alone prints and writes the result.

#pragma once

#include <credens/ensemble.hpp>
#include <credens/error.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/team.hpp"

namespace credens::cli {

struct Rows;

/// How mpirun started this process.
struct Launch {
  std::size_t rank = 0;
  std::size_t size = 1;
  bool is_first_on_machine = true;
};

/// From what OpenMPI's mpirun, and nothing else, puts into the environment; otherwise rank 0 of 1.
Launch launch();

/// Several processes by another launcher than OpenMPI's mpirun, as far as its environment tells.
std::optional<Launch> foreign_launch();

std::string host_name();  ///< of this machine

/// The team that this process has joined; it alone if none.
base::Team& team();

/// Loads the module with MPI and joins the other processes. `words` must be the same for all.
void join_team(const Launch& launch, std::string_view words);

/// Comes to the others with an error, which they throw where they wait. The error that all end with: that of the lowest
/// rank which has one.
Error fail_team(const Error& own);

/// Ends this process and its team at once, and needs no memory. Returns where there is no team.
void abort_team(int status);

/// The status to end with, once all others are about to end too.
int leave_team(int status);

// Ranks of a team read the same files, or what they add up is of no table at all.

/// All ranks come here with what they found in a file, as many things, such as "5000 rows". Where one has found
/// something else than rank 0, rank 0 throws data with a sentence that names it and its machine; the others throw it
/// when they next wait.
void check_agreement(base::Team& team, std::string_view file, const std::vector<std::string>& found);

/// As check_agreement, for a model that all have loaded.
void check_same_model(base::Team& team, std::string_view file, const Ensemble& ensemble);

/// Digits that tell a block of rows, and those before it with the digits `before`, from others.
std::string digest(const Rows& rows, std::string before);

}  // namespace credens::cli
