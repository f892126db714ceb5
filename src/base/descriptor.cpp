// SPDX-License-Identifier: Apache-2.0

#include "base/descriptor.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

namespace credens::base {

Descriptor open_file(const std::string& path, int flags) {
  return Descriptor(retried([&] { return ::open(path.c_str(), flags | O_CLOEXEC, 0666); }));
}

Lock lock(const Descriptor& file) {
  if (retried([&] { return ::flock(file.number(), LOCK_EX | LOCK_NB); }) == 0) return Lock::ours;
  return errno == EWOULDBLOCK ? Lock::others : Lock::impossible;
}

bool is_at(const Descriptor& file, const std::string& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(file.number(), &open) == 0 && ::lstat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

}  // namespace credens::base
