// SPDX-License-Identifier: Apache-2.0

#include "data/byte_source.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/check.hpp"
#include "base/file.hpp"
#include "data/compression.hpp"

namespace credens::data {

// Through the other constructor, so that what fails from here on leaves no file open.
ByteSource::ByteSource(const std::filesystem::path& path)
    : ByteSource(std::string_view(), path == "-" ? "standard input" : path.string()) {
  constexpr std::size_t longest_magic = 6;
  if (open_regular(path) && !is_archive(window(0, longest_magic))) return;
  held_ = decompress(base::read_file(path), name_);
  bytes_ = held_;
  size_ = held_.size();
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

ByteSource::~ByteSource() {
  unmap();
  if (descriptor_ >= 0) ::close(descriptor_);
}

/// False for everything that must be read to know its size; whoever then reads it tells what is wrong with it. A pipe
/// is not opened here: its writer would take a second opening for the end of the reader.
bool ByteSource::open_regular(const std::filesystem::path& path) {
  struct stat info {};
  if (path == "-" || ::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) return false;
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) return false;
  size_ = static_cast<std::size_t>(info.st_size);
  return true;
}

void ByteSource::unmap() {
  if (mapping_) ::munmap(std::exchange(mapping_, nullptr), mapping_size_);
}

std::string_view ByteSource::window(std::size_t first, std::size_t count) {
  count = std::min(count, size_ - std::min(first, size_));
  if (count == 0) return {};
  if (descriptor_ < 0) return bytes_.substr(first, count);
  unmap();
  const std::size_t before = first % static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  mapping_size_ = before + count;
  void* const mapping =
      ::mmap(nullptr, mapping_size_, PROT_READ, MAP_PRIVATE, descriptor_, static_cast<off_t>(first - before));
  if (mapping == MAP_FAILED) base::fail(ErrorCode::io, "{}: cannot read: {}", name_, base::error_text(errno));
  mapping_ = mapping;
  ::madvise(mapping_, mapping_size_, MADV_WILLNEED);
  return {static_cast<const char*>(mapping_) + before, count};
}

}  // namespace credens::data
