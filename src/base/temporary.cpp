// SPDX-License-Identifier: Apache-2.0

#include "base/temporary.hpp"

#include <fcntl.h>
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <filesystem>

namespace credens::base {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view start = ".credens-";
constexpr std::string_view end = ".tmp";

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool is_temporary(std::string_view name) {
  if (!name.starts_with(start) || !name.ends_with(end)) return false;
  name.remove_prefix(start.size());
  name.remove_suffix(std::min(name.size(), end.size()));
  const std::size_t dash = name.find('-');
  if (dash == std::string_view::npos) return false;
  return is_number(name.substr(0, dash)) && is_number(name.substr(dash + 1));
}

std::string temporary_name(const std::string& folder) {
  static std::atomic<unsigned> last_number = 0;
  return (fs::path(folder) / fmt::format("{}{}-{}{}", start, ::getpid(), ++last_number, end)).string();
}

TemporaryFile make_temporary(const std::string& folder) {
  for (;;) {
    TemporaryFile made{.name = temporary_name(folder), .file = Descriptor()};
    made.file = open_file(made.name, O_WRONLY | O_CREAT | O_EXCL);
    if (!made.file.is_open() && errno == EEXIST) continue;
    if (!made.file.is_open()) return made;
    // Who removes remains may have come before the lock, and has taken the file for one of them or is about to.
    const Lock found = lock(made.file);
    if (found == Lock::impossible || (found == Lock::ours && is_at(made.file, made.name))) return made;
  }
}

/// A file that was finished in the meantime has another name, and this one may be another writer's by now.
void remove_remains(const std::string& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), last; !error && entry != last; entry.increment(error)) {
    const std::string path = entry->path().string();
    if (!is_temporary(entry->path().filename().string())) continue;
    const Descriptor file = open_file(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
    if (file.is_open() && lock(file) == Lock::ours && is_at(file, path)) ::unlink(path.c_str());
  }
}

}  // namespace credens::base
