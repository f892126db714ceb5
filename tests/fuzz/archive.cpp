// SPDX-License-Identifier: Apache-2.0
//
// Archives: gzip, xz and zstd around tables, zip as public data come in. None may unpack to more than is allowed.

#include "data/compression.hpp"
#include "data/zip.hpp"
#include "fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace credens;
  constexpr std::size_t largest = 1 << 20;
  const std::string_view text = fuzz::text_of(bytes, size);
  fuzz::survives([&] {
    const std::string content = data::decompress(std::string(text), "archive", largest);
    fuzz::must(!data::is_archive(text) || content.size() <= largest, "no more than allowed is unpacked");
  });
  fuzz::survives([&] {
    for (const data::ZipEntry& entry : data::zip_entries(text, "archive")) {
      const std::string content = data::unzip(text, entry, largest, "archive");
      fuzz::must(content.size() == entry.size, "an entry has the size it is said to have");
    }
  });
  return 0;
}
