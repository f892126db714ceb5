// SPDX-License-Identifier: Apache-2.0

#include "data/byte_feed.hpp"

#include <span>
#include <utility>

namespace credens::data {

ByteFeed::ByteFeed(const std::filesystem::path& path) : file_(path) {}

/// The next bytes of the file itself; empty at its end. Archives come in small pieces, since each may become a thousand
/// times as much.
std::string ByteFeed::read() {
  constexpr std::size_t plain_piece = std::size_t{1} << 20;
  constexpr std::size_t archive_piece = std::size_t{16} << 10;
  if (!first_.empty()) return std::exchange(first_, {});
  std::string piece(unpacker_ ? archive_piece : plain_piece, '\0');
  piece.resize(file_.read(piece));
  return piece;
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

bool ByteFeed::append(std::string& bytes) {
  if (!started_) start();
  const std::size_t before = bytes.size();
  while (!ended_ && bytes.size() == before) {
    const std::string piece = read();
    ended_ = piece.empty();
    if (!unpacker_) {
      bytes += piece;
    } else if (ended_) {
      unpacker_->finish(bytes);
    } else {
      unpacker_->add(piece, bytes);
    }
  }
  return bytes.size() > before;
}

}  // namespace credens::data
