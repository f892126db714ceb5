// SPDX-License-Identifier: Apache-2.0
//
// Makes the archives that tests read.

#pragma once

#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/device/array.hpp>
#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <string>

namespace credens::test {

enum class Archive { none, gzip, xz, zstd };

inline std::string pack(Archive kind, const std::string& bytes) {
  namespace io = boost::iostreams;
  if (kind == Archive::none) return bytes;
  std::string packed;
  io::filtering_ostream stream;
  if (kind == Archive::gzip) stream.push(io::gzip_compressor());
  if (kind == Archive::xz) stream.push(io::lzma_compressor());
  if (kind == Archive::zstd) stream.push(io::zstd_compressor());
  stream.push(io::back_inserter(packed));
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.reset();
  return packed;
}

}  // namespace credens::test
