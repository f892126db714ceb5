// SPDX-License-Identifier: Apache-2.0

#include "data/byte_feed.hpp"

#include <span>
#include <utility>

namespace credens::data {

ByteFeed::ByteFeed(const std::filesystem::path& path) : file_(path) {}

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
  constexpr std::size_t longest_magic = 6;
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
  return !first_.empty() || unpacked_ < packed_.size() || file_.is_ready();
}

bool ByteFeed::append(std::string& bytes) {
  if (!started_) start();
  const std::size_t before = bytes.size();
  while (!ended_ && bytes.size() == before) {
    if (unpacker_) {
      unpack(bytes);
      continue;
    }
    const std::string piece = read();
    ended_ = piece.empty();
    bytes += piece;
  }
  return bytes.size() > before;
}

}  // namespace credens::data
