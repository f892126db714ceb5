// SPDX-License-Identifier: Apache-2.0
//
// Makes the zip archives that tests read.

#pragma once

#include <boost/crc.hpp>
#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/zlib.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace credens::test {

inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, value >>= 8) text += static_cast<char>(value & 0xff);
  return text;
}

inline std::string deflated(const std::string& content) {
  namespace io = boost::iostreams;
  std::string packed;
  io::zlib_params params;
  params.noheader = true;
  io::filtering_ostream stream;
  stream.push(io::zlib_compressor(params));
  stream.push(io::back_inserter(packed));
  stream.write(content.data(), static_cast<std::streamsize>(content.size()));
  stream.reset();
  return packed;
}

/// (name, content) of each entry; with `method` 8 they are deflated, with others left as they are.
inline std::string make_zip(const std::vector<std::pair<std::string, std::string>>& files, unsigned method = 8) {
  std::string archive;
  std::string directory;
  for (const auto& [name, content] : files) {
    boost::crc_32_type checksum;
    checksum.process_bytes(content.data(), content.size());
    const std::string packed = method == 8 ? deflated(content) : content;
    const std::string common = little_endian(20, 2) + little_endian(0, 2) + little_endian(method, 2) +
                               little_endian(0, 4) + little_endian(checksum.checksum(), 4) +
                               little_endian(packed.size(), 4) + little_endian(content.size(), 4) +
                               little_endian(name.size(), 2) + little_endian(0, 2);
    directory +=
        "PK\x01\x02" + little_endian(20, 2) + common + little_endian(0, 10) + little_endian(archive.size(), 4) + name;
    archive += "PK\x03\x04" + common + name + packed;
  }
  return archive + directory + "PK\x05\x06" + little_endian(0, 4) + little_endian(files.size(), 2) +
         little_endian(files.size(), 2) + little_endian(directory.size(), 4) + little_endian(archive.size(), 4) +
         little_endian(0, 2);
}

}  // namespace credens::test
