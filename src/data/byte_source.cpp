// SPDX-License-Identifier: Apache-2.0

#include "data/byte_source.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include "base/check.hpp"
#include "data/npy.hpp"

namespace credens::data {

namespace {

constexpr std::size_t longest_magic = 6;

}  // namespace

/// The next bytes of the file itself; empty at its end.
std::string ByteFeed::read() {
  constexpr std::size_t most = std::size_t{1} << 20;
  if (!first_.empty()) return std::exchange(first_, {});
  std::string piece(most, '\0');
  piece.resize(file_.read(piece));
  return piece;
}

/// A little of the archive at a time: a block of zstd that is one value again and again takes 4 bytes and becomes 128
/// KB, so that this much becomes 4 MB at most.
void ByteFeed::unpack(std::string& bytes) {
  constexpr std::size_t packed_bytes = 128;
  if (unpacked_ == packed_.size()) {
    packed_ = read();
    unpacked_ = 0;
    ended_ = packed_.empty();
  }
  if (ended_) return unpacker_->finish(bytes);
  const std::string_view next = std::string_view(packed_).substr(unpacked_, packed_bytes);
  unpacker_->add(next, bytes);
  unpacked_ += next.size();
}

void ByteFeed::start() {
  started_ = true;
  std::string magic(longest_magic, '\0');
  while (first_.size() < longest_magic) {
    const std::size_t count = file_.read(std::span(magic).subspan(first_.size()));
    if (count == 0) break;
    first_ = magic.substr(0, first_.size() + count);
  }
  if (is_archive(first_)) unpacker_.emplace(first_, file_.name());
}

bool ByteFeed::is_ready() const {
  return !first_.empty() || !start_.empty() || unpacked_ < packed_.size() || file_.is_ready();
}

/// The next bytes, at least one; none at the end.
void ByteFeed::append_unpacked(std::string& bytes) {
  const std::size_t before = bytes.size();
  bytes += std::exchange(start_, {});
  while (!ended_ && bytes.size() == before) {
    if (unpacker_) {
      unpack(bytes);
      continue;
    }
    const std::string piece = read();
    ended_ = piece.empty();
    bytes += piece;
  }
}

void ByteFeed::recognise_encoding() {
  std::string start;
  while (!ended_ && start.size() < 2) append_unpacked(start);
  if (has_utf16_mark(start)) decoder_.emplace(file_.name());
  start_ = std::move(start);
}

bool ByteFeed::append(std::string& bytes) {
  if (!started_) {
    start();
    recognise_encoding();
  }
  const std::size_t before = bytes.size();
  if (!decoder_) {
    append_unpacked(bytes);
    return bytes.size() > before;
  }
  while (!ended_ && bytes.size() == before) {
    std::string piece;
    append_unpacked(piece);
    decoder_->add(piece, bytes);
    if (ended_) decoder_->finish();
  }
  return bytes.size() > before;
}

// Through the other constructor, so that what fails from here on leaves no file open.
ByteSource::ByteSource(const std::filesystem::path& path, Passes passes)
    : ByteSource(std::string_view(), path == "-" ? "standard input" : path.string()) {
  if (open_regular(path)) {
    const std::string_view start = window(0, longest_magic);
    if (!is_archive(start) && !has_utf16_mark(start)) return;
  }
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
  bool is_array = false;
  std::size_t searched = 0;
  const auto write_held = [&] {
    base::write_at(file_.number(), size_, held_, "the temporary file for " + name_);
    size_ += held_.size();
    held_.clear();
    searched = 0;
  };
  while (feed_->append(held_)) {
    if (size_ == 0) is_array = is_npy(held_);
    // Neither an array nor text, so not worth unpacking to its end: whoever reads it finds the zero byte.
    if (!is_array && held_.size() > few && held_.find('\0', searched) != std::string::npos) break;
    if (held_.size() > few) searched = held_.size();
    if (held_.size() > few) held_.reserve(most_held + few);  // not twice as much
    if (held_.size() < most_held) continue;
    if (!file_.is_open()) file_ = base::open_scratch();
    write_held();
  }
  if (file_.is_open()) {
    write_held();
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
