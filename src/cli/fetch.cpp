// SPDX-License-Identifier: Apache-2.0
//
// The public data sets of the paper, brought and verified.

#include "cli/fetch_set.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "base/check.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/verbs.hpp"

namespace credens::cli {

namespace {

struct FetchArguments {
  std::string name;
  std::string folder;
  std::string from;
};

void declare(Arguments& arguments, FetchArguments& fetch) {
  arguments.file("NAME", fetch.name, "One of qsar, yacht, blog, year").group = "Data set";
  arguments.option<std::string>("--data", "DIR", fetch.folder,
                                "Folder to put it in; without it CREDENS_DATA or, where that is not set, the cache "
                                "folder (credens/data in XDG_CACHE_HOME or ~/.cache)",
                                {});
  arguments.option<std::string>("--from", "DIR|URL", fetch.from,
                                "Folder or address with the original or the unpacked files, in place of the UCI "
                                "archive; http is spoken only if the address says so",
                                {});
}

/// A line on standard error: live on a terminal, else now and then, in downloads over two seconds.
class DownloadDisplay {
 public:
  ~DownloadDisplay() { clear_line(); }

  void show(std::size_t done, std::size_t total) {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    if (seconds < next_) return;
    next_ = seconds + (is_live_ ? 0.2 : 10);
    const std::string text = progress_text(static_cast<double>(done), static_cast<double>(total), seconds);
    if (is_live_) {
      std::fputs(("\r\x1b[K" + text).c_str(), stderr);
      line_shown_ = true;
    } else {
      print_error("credens: " + text);
    }
  }

  /// Large files take seconds.
  void show_verification(const std::string& file, std::size_t bytes) {
    clear_line();
    const double megabytes = static_cast<double>(bytes) / megabyte;
    if (megabytes > 100) print_error(fmt::format("credens: verifying {}, {:.1f} MB", file, megabytes));
  }

 private:
  static constexpr double megabyte = 1e6;
  using Clock = std::chrono::steady_clock;

  void clear_line() {
    if (line_shown_) std::fputs("\r\x1b[K", stderr);
    line_shown_ = false;
  }

  static std::string progress_text(double done, double total, double seconds) {
    if (total <= 0 || done <= 0) return fmt::format("downloading, {:.1f} MB", done / megabyte);
    return fmt::format("downloading, {:.1f} of {:.1f} MB, {} left", done / megabyte, total / megabyte,
                       duration_text((total - done) * seconds / done));
  }

  bool is_live_ = ::isatty(STDERR_FILENO) == 1;
  Clock::time_point start_ = Clock::now();
  bool line_shown_ = false;
  double next_ = 2;  ///< seconds
};

std::filesystem::path folder_for(const FetchArguments& arguments) {
  if (!arguments.folder.empty()) check_folder("--data", arguments.folder);
  const std::vector<std::filesystem::path> folders = data::data_folders(arguments.folder);
  base::require(!folders.empty(), ErrorCode::usage,
                "there is no HOME, so no cache folder: name a folder with --data or CREDENS_DATA");
  return folders.front();
}

std::string verdict(const data::KnownSet& set, const FetchedPart& part) {
  return fmt::format("{}: {}, {}\n", part.file.string(), part.is_new ? "fetched" : "already there",
                     set.is_confirmed() ? "its values are the published ones"
                                        : "unconfirmed (size and md5 are as expected, its values were never compared)");
}

std::vector<FetchedPart> fetch(const data::KnownSet& set, const FetchArguments& arguments) {
  const InterruptWatch watch;
  DownloadDisplay display;
  try {
    return fetch_set(set, {.folder = folder_for(arguments),
                           .from = arguments.from,
                           .on_progress = [&](std::size_t done, std::size_t total) { display.show(done, total); },
                           .on_verify = [&](const data::KnownPart& part,
                                            std::size_t bytes) { display.show_verification(part.file, bytes); },
                           .stop = watch.token()});
  } catch (const Error& error) {
    const bool is_original = error.code() == ErrorCode::io && arguments.from.empty() &&
                             std::string_view(error.what()).starts_with(data::original_address);
    if (!is_original) throw;
    throw Error(error.code(), fmt::format("{}; --from takes it from a folder or another address", error.what()));
  }
}

void run(const FetchArguments& arguments) {
  const data::KnownSet& set = data::known_set(arguments.name);
  std::string text;
  for (const FetchedPart& part : fetch(set, arguments)) text += verdict(set, part);
  print(text);
}

}  // namespace

Verb fetch_verb() {
  return make_verb<FetchArguments>("fetch", "brings a public data set of the paper and verifies it",
                                   {"credens fetch yacht", "credens fetch blog --data data --from ~/Downloads"},
                                   declare, run);
}

}  // namespace credens::cli
