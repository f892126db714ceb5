// SPDX-License-Identifier: Apache-2.0
//
// Zip archives, as public data come in: plain or deflated entries of less than 4 GB. Nothing is written to a disk, so
// names in an archive can lead nowhere.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace credens::data {

struct ZipEntry {
  std::string name;  ///< as in the archive, with folders
  std::uint32_t start = 0;
  std::uint32_t packed_size = 0;
  std::uint32_t size = 0;
  std::uint32_t checksum = 0;  ///< CRC-32 of the content
  unsigned method = 0;
};

bool is_zip(std::string_view bytes);

/// What an archive holds. Throws data where `bytes` are no whole zip archive; `source` is what sentences call it.
std::vector<ZipEntry> zip_entries(std::string_view bytes, const std::string& source);

/// The content of an entry, checked; throws data, also where it has more than `largest` bytes.
std::string unzip(std::string_view bytes, const ZipEntry& entry, std::size_t largest, const std::string& source);

}  // namespace credens::data
