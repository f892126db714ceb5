// SPDX-License-Identifier: Apache-2.0

#include "base/claim.hpp"

#include <fcntl.h>

#include "base/check.hpp"
#include "base/content_hash.hpp"
#include "base/file.hpp"

namespace credens::base {

namespace {

namespace fs = std::filesystem;

/// Beside what is claimed, under whatever name: links are followed. It is not the name of a temporary file: who sweeps
/// those locks them for a moment, and that must not keep anybody from a claim.
std::string lock_name(const fs::path& path) {
  std::error_code error;
  fs::path target = fs::weakly_canonical(without_links(path), error);
  if (error) target = path;
  if (!target.has_filename()) target = target.parent_path();
  const std::string name = fmt::format(".credens-{}.lock", hash_of(target.filename().string()));
  fs::create_directories(target.parent_path(), error);
  return (target.parent_path() / name).string();
}

}  // namespace

// A lock that is taken and has lost its name belongs to one who ends, or to another who finds that out as this one
// does.
Claim::Claim(const fs::path& path) : name_(lock_name(path)) {
  constexpr int most_tries = 1000;  // on file systems where a file is never found again by its name
  for (int i = 0; i < most_tries; ++i) {
    Descriptor file = open_file(name_, O_WRONLY | O_CREAT | O_NOFOLLOW);
    if (!file.is_open()) return;
    const Lock found = lock(file);
    if (!is_at(file, name_)) continue;
    require(found != Lock::others, ErrorCode::usage, "{}: another process is writing it, expected one at a time",
            path.string());
    file_ = std::move(file);
    return;
  }
}

Claim::~Claim() {
  if (file_.is_open() && is_at(file_, name_)) ::unlink(name_.c_str());
}

}  // namespace credens::base
