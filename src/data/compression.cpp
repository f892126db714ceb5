// SPDX-License-Identifier: Apache-2.0

#include "data/compression.hpp"

#include <algorithm>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zlib.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <ios>
#include <string_view>

#include "base/check.hpp"
#include "data/bounded_sink.hpp"

namespace credens::data {

namespace {

namespace io = boost::iostreams;
using namespace std::string_view_literals;

/// What a decoder makes of an archive. `complete` is false when the archive ends too early.
struct Unpacked {
  std::string bytes;
  bool complete = true;
};

std::streamsize signed_size(std::string_view bytes) {
  return static_cast<std::streamsize>(bytes.size());
}

/// One gzip member after the other. zlib stops by itself at the end of a member; it is offered the terminating zero of
/// the string as one byte too many, so that a decoder which takes that byte has not found its end.
Unpacked unpack_gzip(const std::string& archive, std::size_t largest) {
  constexpr int gzip_window_bits = 15 + 16;  // zlib's way to ask for gzip's header and checksum
  io::zlib_params params;
  params.window_bits = gzip_window_bits;
  Unpacked result;
  std::size_t used = 0;
  while (used < archive.size() && result.complete) {
    io::zlib_decompressor decoder(params);
    BoundedSink sink{&result.bytes, largest};
    used += static_cast<std::size_t>(decoder.write(sink, archive.data() + used, signed_size(archive) - used + 1));
    result.complete = used <= archive.size();
  }
  return result;
}

/// The decoder joins streams itself and throws at close when the last one is incomplete.
Unpacked unpack_xz(const std::string& archive, std::size_t largest) {
  Unpacked result;
  io::lzma_decompressor decoder;
  BoundedSink sink{&result.bytes, largest};
  decoder.write(sink, archive.data(), signed_size(archive));
  decoder.close(sink, std::ios_base::out);
  return result;
}

/// The decoder joins frames itself, but does not tell an incomplete last frame. So a frame of our own follows: 64 ones
/// as one run-length block. They come out at the end only if the decoder was between frames.
Unpacked unpack_zstd(const std::string& archive, std::size_t largest) {
  constexpr std::string_view end_frame = "\x28\xb5\x2f\xfd\x20\x40\x03\x02\x00\x01"sv;
  const std::string end_mark(64, '\x01');
  Unpacked result;
  io::zstd_decompressor decoder;
  BoundedSink sink{&result.bytes, largest > no_limit - end_mark.size() ? no_limit : largest + end_mark.size()};
  decoder.write(sink, archive.data(), signed_size(archive));
  decoder.write(sink, end_frame.data(), signed_size(end_frame));
  decoder.close(sink, std::ios_base::out);
  result.complete = result.bytes.ends_with(end_mark);
  if (result.complete) result.bytes.resize(result.bytes.size() - end_mark.size());
  return result;
}

struct ArchiveKind {
  std::string_view name;
  std::string_view magic;
  Unpacked (*unpack)(const std::string& archive, std::size_t largest);
};

constexpr ArchiveKind archive_kinds[] = {
    {"gzip", "\x1f\x8b"sv, unpack_gzip},
    {"xz", "\xfd\x37zXZ\x00"sv, unpack_xz},
    {"zstd", "\x28\xb5\x2f\xfd"sv, unpack_zstd},
};

const ArchiveKind* kind_of(std::string_view bytes) {
  return std::find_if(std::begin(archive_kinds), std::end(archive_kinds),
                      [&](const ArchiveKind& candidate) { return bytes.starts_with(candidate.magic); });
}

}  // namespace

bool is_archive(std::string_view bytes) {
  return kind_of(bytes) != std::end(archive_kinds);
}

std::string decompress(std::string bytes, const std::string& source, std::size_t largest) {
  const ArchiveKind* const kind = kind_of(bytes);
  if (kind == std::end(archive_kinds)) return bytes;
  try {
    Unpacked unpacked = kind->unpack(bytes, largest);
    base::require(unpacked.complete, ErrorCode::data, "{}: the {} archive is truncated", source, kind->name);
    return std::move(unpacked.bytes);
  } catch (const std::ios_base::failure&) {
    base::fail(ErrorCode::data, "{}: the {} archive is damaged or truncated", source, kind->name);
  } catch (const TooManyBytes&) {
    base::fail(ErrorCode::data, "{}: the {} archive holds more than {} bytes, expected at most that", source,
               kind->name, largest);
  }
}

}  // namespace credens::data
