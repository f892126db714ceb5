// SPDX-License-Identifier: Apache-2.0

#include "base/claim.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/check.hpp"
#include "base/content_hash.hpp"

namespace credens::base {

namespace {

namespace fs = std::filesystem;

/// Whether the file has a name, that is, was not removed between its making and its lock.
bool has_name(int descriptor) {
  struct stat info {};
  return ::fstat(descriptor, &info) == 0 && info.st_nlink > 0;
}

/// Beside what is claimed, under whatever name: links are followed. It is not the name of a temporary file: who sweeps
/// those locks them for a moment, and that must not keep anybody from a claim.
std::string lock_name(const fs::path& path) {
  std::error_code error;
  fs::path target = fs::weakly_canonical(path, error);
  if (error) target = path;
  if (!target.has_filename()) target = target.parent_path();
  const std::string name = fmt::format(".credens-{}.lock", hash_of(target.filename().string()));
  fs::create_directories(target.parent_path(), error);
  return (target.parent_path() / name).string();
}

}  // namespace

Claim::Claim(const fs::path& path) : name_(lock_name(path)) {
  for (;;) {
    Descriptor file(::open(name_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (!file.is_open()) return;
    const bool is_locked = ::flock(file.number(), LOCK_EX | LOCK_NB) == 0;
    require(is_locked || errno != EWOULDBLOCK, ErrorCode::usage,
            "{}: another process is writing it, expected one at a time", path.string());
    if (is_locked && !has_name(file.number())) continue;
    file_ = std::move(file);
    return;
  }
}

Claim::~Claim() {
  if (file_.is_open()) ::unlink(name_.c_str());
}

}  // namespace credens::base
