// SPDX-License-Identifier: Apache-2.0
//
// Archives: gzip, xz and zstd around tables. None may unpack to more than is allowed, and in pieces they unpack to what
// they are as a whole.

#include "data/compression.hpp"
#include "fuzz/fuzz.hpp"

namespace credens::fuzz {

namespace {

constexpr std::size_t largest = 1 << 20;

std::string unpacked_in_pieces(std::string_view text, std::size_t piece) {
  std::string content;
  data::Unpacker unpacker(text, "archive");
  for (std::size_t first = 0; first < text.size(); first += piece) {
    unpacker.add(text.substr(first, piece), content, largest);
  }
  unpacker.finish(content, largest);
  return content;
}

void unpack(std::string_view text) {
  std::string content;
  const bool is_whole = survives([&] { content = data::decompress(std::string(text), "archive", largest); });
  if (!data::is_archive(text)) return;
  must(content.size() <= largest, "no more than allowed is unpacked");
  for (const std::size_t piece : {1, 13}) {
    std::string again;
    const bool is_whole_again = survives([&] { again = unpacked_in_pieces(text, piece); });
    must(is_whole_again == is_whole && (!is_whole || again == content), "pieces unpack to the whole");
  }
}

}  // namespace

}  // namespace credens::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace credens;
  const std::string_view text = fuzz::text_of(bytes, size);
  fuzz::unpack(text);
  return 0;
}
