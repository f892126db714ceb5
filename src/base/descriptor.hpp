// SPDX-License-Identifier: Apache-2.0
//
// Open files: owned, locked, and known again by their names.

#pragma once

#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

namespace credens::base {

/// Owns an open file descriptor and closes it.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }  ///< which the caller closes
  void close() {
    if (is_open()) ::close(release());
  }

 private:
  int number_;
};

/// A call of the system, made again where a signal came in between.
template <class Call>
auto retried(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// Opens a file; where that fails, the result is not open and errno says why.
Descriptor open_file(const std::string& path, int flags);

enum class Lock {
  ours,
  others,      ///< somebody else holds it
  impossible,  ///< files cannot be locked here
};

/// Locks an open file without waiting. The lock ends with its holder, however that ends and on whatever machine it ran.
Lock lock(const Descriptor& file);

/// Whether `path` is a name of the open file: it may have been removed, and another file may have its name.
bool is_at(const Descriptor& file, const std::string& path);

}  // namespace credens::base
