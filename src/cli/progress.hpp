// SPDX-License-Identifier: Apache-2.0
//
// How far a fit has come, on standard error.

#pragma once

#include <credens/fit.hpp>

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>

#include "base/text.hpp"

namespace credens::cli {

enum class ProgressKind {
  automatic,  ///< live on a terminal, else plain
  plain,      ///< a line now and then, for runs over two seconds
  json,       ///< one object per line
  none,
};

/// Shows progress and warnings; may be called from any thread.
class ProgressDisplay {
 public:
  /// `done_before`: members that an earlier run had finished. `counted`: what is said in the place of members.
  ProgressDisplay(ProgressKind kind, std::size_t done_before, std::string counted = "members");
  ~ProgressDisplay();  ///< leaves no half line
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  void show(Progress progress);
  void warn(std::string_view sentence);
  /// Work that cannot tell how far it is, in a run that took `seconds_elapsed` so far.
  void say(std::string_view doing, double seconds_elapsed);

 private:
  void show_live(std::string_view line);
  void show_plain(const Progress& progress);
  void clear_line();

  std::mutex mutex_;
  ProgressKind kind_;
  bool live_ = false;
  bool line_shown_ = false;
  std::size_t done_before_;
  std::string counted_;
  double next_plain_ = 2;  ///< seconds
};

double seconds_since(std::chrono::steady_clock::time_point start);

/// "37 %, 3 of 10 members, 12 s left".
std::string progress_text(const Progress& progress, std::string_view counted = "members");

/// "12 s", "3 min 20 s", "1 h 5 min"; tenths below ten seconds.
std::string duration_text(double seconds);

}  // namespace credens::cli

namespace credens::base {

template <>
struct EnumNames<cli::ProgressKind> {
  static constexpr std::string_view what = "progress";
  static constexpr std::pair<cli::ProgressKind, std::string_view> entries[] = {{cli::ProgressKind::automatic, "auto"},
                                                                               {cli::ProgressKind::plain, "plain"},
                                                                               {cli::ProgressKind::json, "json"},
                                                                               {cli::ProgressKind::none, "none"}};
};

}  // namespace credens::base
