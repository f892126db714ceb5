// SPDX-License-Identifier: Apache-2.0

#include "cli/interrupt.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>

namespace credens::cli {

namespace {

std::atomic<bool> parent_asked = false;

bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// As if the signal had never been caught.
void die_of(int signal, const sigset_t& signals) {
  std::signal(signal, SIG_DFL);
  ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  std::raise(signal);
}

}  // namespace

BlockedSignals::BlockedSignals() {
  ::sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!is_ignored(signal)) ::sigaddset(&signals_, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &signals_, &previous_mask_);
}

BlockedSignals::~BlockedSignals() {
  ::pthread_sigmask(SIG_SETMASK, &previous_mask_, nullptr);
}

InterruptWatch::InterruptWatch() : watcher_([this](const std::stop_token& end) { watch(end); }) {}

void InterruptWatch::watch(const std::stop_token& end) {
  constexpr timespec pause{.tv_sec = 0, .tv_nsec = 50'000'000};
  while (!end.stop_requested()) {
    siginfo_t sender{};
    const int signal = ::sigtimedwait(&signals_.all(), &sender, &pause);
    if (signal <= 0) continue;
    parent_asked = sender.si_pid == ::getppid();
    if (!interrupted_.request_stop()) die_of(signal, signals_.all());
  }
}

bool stop_came_from_parent() {
  return parent_asked;
}

}  // namespace credens::cli
