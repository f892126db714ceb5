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
ByteSource::ByteSource(const std::filesystem::path& path, Passes passes)
    : ByteSource(std::string_view(), path == "-" ? "standard input" : path.string()) {
  constexpr std::size_t longest_magic = 6;
  if (open_regular(path) && !is_archive(window(0, longest_magic))) return;
  unmap();
  file_.close();
  size_ = 0;
  feed_ = std::make_unique<ByteFeed>(path);
  if (passes == Passes::many) keep_all();
}

ByteSource::~ByteSource() {
  unmap();
}

/// False for everything that must be read to know its size; whoever then reads it tells what is wrong with it. A pipe
/// is not opened here: its writer would take a second opening for the end of the reader.
bool ByteSource::open_regular(const std::filesystem::path& path) {
  struct stat info {};
  if (path == "-" || ::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) return false;
  file_ = base::Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file_.is_open()) return false;
  size_ = static_cast<std::size_t>(info.st_size);
  return true;
}

/// All that the feed gives, in memory or, where it is much, in a file that is then mapped as any other.
void ByteSource::keep_all() {
  constexpr std::size_t most_held = std::size_t{64} << 20;
  constexpr std::size_t few = std::size_t{4} << 20;
  size_ = 0;
  while (feed_->append(held_)) {
    if (held_.size() > few) held_.reserve(most_held + few);  // not twice as much
    if (held_.size() < most_held) continue;
    if (!file_.is_open()) file_ = base::open_scratch();
    base::write_at(file_.number(), size_, held_, "the temporary file for " + name_);
    size_ += held_.size();
    held_.clear();
  }
  if (file_.is_open()) {
    base::write_at(file_.number(), size_, held_, "the temporary file for " + name_);
    size_ += held_.size();
    held_ = {};
  } else {
    size_ = held_.size();
  }
  bytes_ = held_;
  feed_.reset();
}

/// So that what is held reaches to `least` and, as far as that is there already, to `most`, or to the end of the file.
void ByteSource::read_up_to(std::size_t least, std::size_t most) {
  const auto end = [&] { return held_from_ + held_.size(); };
  while (end() < most && (end() < least || feed_->is_ready()) && feed_->append(held_)) {
  }
  size_ = end();
}

std::size_t ByteSource::size() {
  if (feed_ && held_from_ == 0) keep_all();
  if (feed_) read_up_to(no_limit, no_limit);
  return size_;
}

void ByteSource::unmap() {
  if (mapping_) ::munmap(std::exchange(mapping_, nullptr), mapping_size_);
}

std::string_view ByteSource::window(std::size_t first, std::size_t count) {
  return arrived(first, count, count);
}

std::string_view ByteSource::arrived(std::size_t first, std::size_t least, std::size_t count) {
  if (feed_) {
    base::require(first >= held_from_, ErrorCode::failure, "{}: byte {} is asked for in one pass, {} was before", name_,
                  first, held_from_);
    const std::size_t passed = std::min(first - held_from_, held_.size());
    held_.erase(0, passed);
    held_from_ += passed;
    const auto end_of = [&](std::size_t size) { return size > no_limit - first ? no_limit : first + size; };
    read_up_to(end_of(least), end_of(count));
    return std::string_view(held_).substr(std::min(first - held_from_, held_.size()), count);
  }
  count = std::min(count, size_ - std::min(first, size_));
  if (count == 0) return {};
  if (!file_.is_open()) return bytes_.substr(first, count);
  unmap();
  const std::size_t before = first % static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  mapping_size_ = before + count;
  void* const mapping =
      ::mmap(nullptr, mapping_size_, PROT_READ, MAP_PRIVATE, file_.number(), static_cast<off_t>(first - before));
  if (mapping == MAP_FAILED) base::fail(ErrorCode::io, "{}: cannot read: {}", name_, base::error_text(errno));
  mapping_ = mapping;
  ::madvise(mapping_, mapping_size_, MADV_WILLNEED);
  return {static_cast<const char*>(mapping_) + before, count};
}

}  // namespace credens::data
