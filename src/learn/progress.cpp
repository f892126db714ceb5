// SPDX-License-Identifier: Apache-2.0

#include "learn/progress.hpp"

namespace credens::learn {

ProgressMeter::ProgressMeter(std::size_t members, std::size_t epochs, Callback callback)
    : callback_(std::move(callback)), epochs_(epochs), reached_(members, 0) {}

void ProgressMeter::advance(std::size_t position, std::size_t epochs) {
  if (epochs <= reached_[position]) return;
  total_reached_ += epochs - reached_[position];
  reached_[position] = epochs;
}

void ProgressMeter::epoch_done(std::size_t position, std::size_t epochs) {
  advance(position, epochs);
  if (callback_ && Clock::now() >= next_report_) report();
}

void ProgressMeter::member_done(std::size_t position) {
  advance(position, epochs_);
  ++members_done_;
  if (callback_ && (Clock::now() >= next_report_ || members_done_ == reached_.size())) report();
}

void ProgressMeter::report() {
  constexpr auto pause = std::chrono::milliseconds(100);
  const auto now = Clock::now();
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double fraction = static_cast<double>(total_reached_) / static_cast<double>(reached_.size() * epochs_);
  next_report_ = now + pause;
  callback_({.members_done = members_done_,
             .members = reached_.size(),
             .fraction = fraction,
             .seconds_elapsed = elapsed,
             .seconds_left = elapsed * (1 - fraction) / fraction});
}

}  // namespace credens::learn
