// SPDX-License-Identifier: Apache-2.0
//
// Ctrl-C as a request to stop, so that finished work is kept.

#pragma once

#include <csignal>
#include <stop_token>
#include <thread>

namespace credens::cli {

/// SIGINT, SIGTERM and SIGHUP, blocked while it lives for this thread and those that it begins. Signals that were
/// ignored stay ignored.
class BlockedSignals {
 public:
  BlockedSignals();
  ~BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  const sigset_t& all() const { return signals_; }

 private:
  sigset_t signals_;
  sigset_t previous_mask_;
};

/// While it lives, the first of these signals requests a stop and the second ends the program. Make it before threads:
/// they inherit that these signals are blocked, so that only the watcher sees them.
class InterruptWatch {
 public:
  InterruptWatch();

  std::stop_token token() const { return interrupted_.get_token(); }

 private:
  void watch(const std::stop_token& end);

  std::stop_source interrupted_;
  BlockedSignals signals_;
  std::jthread watcher_;  ///< ends before the signals come through again
};

/// Whether a stop was requested by the process that started this one, as mpirun does where it ends all ranks.
bool stop_came_from_parent();

}  // namespace credens::cli
