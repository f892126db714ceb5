// SPDX-License-Identifier: Apache-2.0
//
// Many members at once, one per thread; what `fit` and the command line share. Who stores finished members is not its
// business.

#pragma once

#include <credens/fit.hpp>

#include <functional>
#include <span>
#include <vector>

#include "learn/training_rows.hpp"
#include "model/ensemble_state.hpp"

namespace credens::learn {

/// Called as soon as a member is finished, by one thread at a time.
using OnMember = std::function<void(const model::Member&)>;

/// Trains the members with these indices (each below options.members) on `train`; result in the order of `which`. The
/// options are planned (learn/plan.hpp). On stop: throws interrupted after all members that had finished were handed to
/// on_member. Warns (options.on_warning) of members that were trained again, and of replicates whose loss is an
/// outlier.
std::vector<model::Member> train_members(const TrainingRows& train, const FitOptions& planned,
                                         std::span<const std::size_t> which, const OnMember& on_member = nullptr);

}  // namespace credens::learn
