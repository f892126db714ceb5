// SPDX-License-Identifier: Apache-2.0

#include "cli/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "cli/print.hpp"

namespace credens::cli {

namespace {

std::string json_text(const Progress& progress, const std::string& counted) {
  const nlohmann::ordered_json document = {{counted + "_done", progress.members_done},
                                           {counted, progress.members},
                                           {"fraction", progress.fraction},
                                           {"seconds_elapsed", progress.seconds_elapsed},
                                           {"seconds_left", progress.seconds_left}};
  return document.dump();
}

}  // namespace

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string duration_text(double seconds) {
  constexpr double enough_for_whole_seconds = 9.95;
  if (seconds < enough_for_whole_seconds) return fmt::format("{:.1f} s", seconds);
  const auto whole = std::llround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string progress_text(const Progress& progress, std::string_view counted) {
  return fmt::format("{:.0f} %, {} of {} {}, {} left", std::floor(100 * progress.fraction), progress.members_done,
                     progress.members, counted, duration_text(progress.seconds_left));
}

ProgressDisplay::ProgressDisplay(ProgressKind kind, std::size_t done_before, std::string counted)
    : kind_(kind), done_before_(done_before), counted_(std::move(counted)) {
  live_ = kind == ProgressKind::automatic && ::isatty(STDERR_FILENO) == 1;
}

ProgressDisplay::~ProgressDisplay() {
  clear_line();
}

void ProgressDisplay::show(Progress progress) {
  const std::lock_guard lock(mutex_);
  progress.members_done += done_before_;
  progress.members += done_before_;
  if (kind_ == ProgressKind::json) {
    print_error(json_text(progress, counted_));
  } else if (live_) {
    show_live(progress_text(progress, counted_));
  } else if (kind_ != ProgressKind::none) {
    show_plain(progress);
  }
}

void ProgressDisplay::warn(std::string_view sentence) {
  const std::lock_guard lock(mutex_);
  clear_line();
  print_error(fmt::format("credens: warning: {}", sentence));
}

void ProgressDisplay::say(std::string_view doing, double seconds_elapsed) {
  const std::lock_guard lock(mutex_);
  if (live_) {
    show_live(doing);
  } else if (kind_ != ProgressKind::none && kind_ != ProgressKind::json && seconds_elapsed >= next_plain_) {
    print_error(fmt::format("credens: {}", doing));
  }
}

void ProgressDisplay::show_live(std::string_view line) {
  std::fputs(fmt::format("\r\x1b[K{}", base::printable(line)).c_str(), stderr);
  line_shown_ = true;
}

/// Pauses grow with the run, so that a long one does not fill a log.
void ProgressDisplay::show_plain(const Progress& progress) {
  if (progress.seconds_elapsed < next_plain_) return;
  next_plain_ = progress.seconds_elapsed + std::clamp(progress.seconds_elapsed / 4, 2.0, 60.0);
  print_error("credens: " + progress_text(progress, counted_));
}

void ProgressDisplay::clear_line() {
  if (line_shown_) std::fputs("\r\x1b[K", stderr);
  line_shown_ = false;
}

}  // namespace credens::cli
