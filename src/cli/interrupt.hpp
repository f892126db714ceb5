// SPDX-License-Identifier: Apache-2.0
//
// Ctrl-C as a request to stop, so that finished work is kept.

#pragma once

#include <csignal>
#include <stop_token>
#include <thread>

namespace credens::cli {

/// While it lives, the first SIGINT or SIGTERM requests a stop and the second ends the program. Make it before threads:
/// they inherit that these signals are blocked, so that only the watcher sees them. Signals that were ignored stay
/// ignored.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  std::stop_token token() const { return interrupted_.get_token(); }

 private:
  void watch(const std::stop_token& end);

  std::stop_source interrupted_;
  sigset_t signals_;
  sigset_t previous_mask_;
  std::jthread watcher_;
};

/// Whether a stop was requested by the process that started this one, as mpirun does where it ends all ranks.
bool stop_came_from_parent();

}  // namespace credens::cli
