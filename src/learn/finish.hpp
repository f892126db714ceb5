// SPDX-License-Identifier: Apache-2.0
//
// From trained members to the ensemble of a fit: noise, member weights and the posterior's rung are decided by the rows
// that members did not see.

#pragma once

#include <credens/ensemble.hpp>

#include <vector>

#include "learn/plan.hpp"
#include "learn/training_rows.hpp"

namespace credens::learn {

/// A narrow ensemble of all members of the plan, calibrated as it says; members of negligible weight are gone.
/// `options.posterior` is decided and stored with it.
Ensemble finish(const TrainingRows& train, const Plan& plan, std::vector<model::Member> members);

/// Whether so many of all members are a part that waits for the others, because rows decide about all of them.
bool is_unfinished_part(std::size_t members, std::size_t all, const FitOptions& planned);

}  // namespace credens::learn
