// SPDX-License-Identifier: Apache-2.0
//
// Progress of the training of many members: counts epochs, estimates the time left, reports at most ten times per
// second.

#pragma once

#include <credens/fit.hpp>

#include <chrono>
#include <functional>
#include <vector>

namespace credens::learn {

/// Not thread-safe: the caller serialises.
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

}  // namespace credens::learn
