// SPDX-License-Identifier: Apache-2.0
//
// Many members at once, one per thread; what `fit` and the command line share. Who stores finished members is not its
// business.

#pragma once

#include <credens/fit.hpp>

#include <chrono>
#include <functional>
#include <span>
#include <vector>

#include "learn/training_rows.hpp"
#include "model/ensemble_state.hpp"

namespace credens::learn {

/// Progress of the training of many members: counts epochs, estimates the time left, reports at most ten times per
/// second. Not thread-safe: the caller serialises.
class ProgressMeter {
 public:
  using Callback = std::function<void(const Progress&)>;
  using Clock = std::chrono::steady_clock;

  ProgressMeter(std::size_t members, std::size_t epochs, Callback callback);

  /// Member `position` has done this many epochs. A member that starts again keeps what it had reached, so that the
  /// fraction never falls.
  void epoch_done(std::size_t position, std::size_t epochs);

  /// The member is finished, after all its epochs or before. The last one is always reported.
  void member_done(std::size_t position);

  std::size_t members_done() const { return members_done_; }

 private:
  void advance(std::size_t position, std::size_t epochs);
  void report();

  Callback callback_;
  std::size_t epochs_;
  std::vector<std::size_t> reached_;  ///< epochs per member
  std::size_t total_reached_ = 0;
  std::size_t members_done_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_report_ = start_;
};

/// Called as soon as a member is finished, by one thread at a time.
using OnMember = std::function<void(const model::Member&)>;

/// Trains the members with these indices (each below options.members) on `train`; result in the order of `which`. The
/// options are planned (learn/plan.hpp). On stop: throws interrupted after all members that had finished were handed to
/// on_member. Warns (options.on_warning) of members that were trained again, and of replicates whose loss is an
/// outlier.
std::vector<model::Member> train_members(const TrainingRows& train, const FitOptions& planned,
                                         std::span<const std::size_t> which, const OnMember& on_member = nullptr);

}  // namespace credens::learn
