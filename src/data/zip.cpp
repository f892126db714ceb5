// SPDX-License-Identifier: Apache-2.0

#include "data/zip.hpp"

#include <algorithm>
#include <bit>
#include <boost/crc.hpp>
#include <boost/iostreams/filter/zlib.hpp>
#include <cstring>
#include <ios>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/bounded_sink.hpp"

namespace credens::data {

static_assert(std::endian::native == std::endian::little, "numbers are read as they lie in the archive");

namespace {

using namespace std::string_view_literals;

constexpr std::string_view entry_magic = "PK\x03\x04"sv;
constexpr std::string_view directory_magic = "PK\x01\x02"sv;
constexpr std::string_view end_magic = "PK\x05\x06"sv;

/// Numbers and texts at places of an archive; a place outside throws.
struct Bytes {
  std::string_view all;
  const std::string& source;

  std::string_view text(std::size_t start, std::size_t count) const {
    base::require(start <= all.size() && count <= all.size() - start, ErrorCode::data,
                  "{}: the zip archive is damaged or truncated", source);
    return all.substr(start, count);
  }

  template <class Number>
  Number number(std::size_t start) const {
    Number value{};
    std::memcpy(&value, text(start, sizeof value).data(), sizeof value);
    return value;
  }

  void expect(std::string_view magic, std::size_t start) const {
    base::require(text(start, magic.size()) == magic, ErrorCode::data, "{}: the zip archive is damaged or truncated",
                  source);
  }
};

/// Where the record stands that ends an archive: the last of its kind, since a comment may follow it.
std::size_t find_end(const Bytes& bytes) {
  const std::size_t place = bytes.all.rfind(end_magic);
  base::require(
      is_zip(bytes.all) && place != std::string_view::npos, ErrorCode::data, "{}: {}, expected a whole zip archive",
      bytes.source,
      is_zip(bytes.all) ? "the archive is truncated" : "starts with " + base::quoted(bytes.all.substr(0, 16)));
  constexpr std::size_t fixed_size = 22;
  bytes.text(place, fixed_size);
  return place;
}

std::string inflate(std::string_view packed, std::size_t size) {
  std::string content;
  content.reserve(size);
  boost::iostreams::zlib_params params;
  params.noheader = true;
  boost::iostreams::zlib_decompressor decoder(params);
  BoundedSink sink{&content, size};
  decoder.write(sink, packed.data(), static_cast<std::streamsize>(packed.size()));
  decoder.close(sink, std::ios_base::out);
  return content;
}

std::string unpacked(std::string_view packed, const ZipEntry& entry, const std::string& source) {
  constexpr unsigned stored = 0;
  constexpr unsigned deflated = 8;
  base::require(entry.method == stored || entry.method == deflated, ErrorCode::data,
                "{}: {} is packed by method {}, expected 0 (stored) or 8 (deflated)", source, base::quoted(entry.name),
                entry.method);
  try {
    return entry.method == stored ? std::string(packed) : inflate(packed, entry.size);
  } catch (const std::ios_base::failure&) {
    base::fail(ErrorCode::data, "{}: {} is damaged", source, base::quoted(entry.name));
  } catch (const TooManyBytes&) {  // than the archive promises
    base::fail(ErrorCode::data, "{}: {} is damaged", source, base::quoted(entry.name));
  }
}

std::uint32_t crc32(std::string_view content) {
  boost::crc_32_type checksum;
  checksum.process_bytes(content.data(), content.size());
  return checksum.checksum();
}

}  // namespace

bool is_zip(std::string_view bytes) {
  return bytes.starts_with(entry_magic) || bytes.starts_with(end_magic);
}

std::vector<ZipEntry> zip_entries(std::string_view archive, const std::string& source) {
  const Bytes bytes{archive, source};
  const std::size_t end = find_end(bytes);
  const auto count = bytes.number<std::uint16_t>(end + 10);
  std::size_t place = bytes.number<std::uint32_t>(end + 16);
  std::vector<ZipEntry> entries;
  for (unsigned i = 0; i < count; ++i) {
    bytes.expect(directory_magic, place);
    const std::size_t name_size = bytes.number<std::uint16_t>(place + 28);
    constexpr std::size_t fixed_size = 46;
    entries.push_back({.name = std::string(bytes.text(place + fixed_size, name_size)),
                       .start = bytes.number<std::uint32_t>(place + 42),
                       .packed_size = bytes.number<std::uint32_t>(place + 20),
                       .size = bytes.number<std::uint32_t>(place + 24),
                       .checksum = bytes.number<std::uint32_t>(place + 16),
                       .method = bytes.number<std::uint16_t>(place + 10)});
    place += fixed_size + name_size + bytes.number<std::uint16_t>(place + 30) + bytes.number<std::uint16_t>(place + 32);
  }
  return entries;
}

std::string unzip(std::string_view archive, const ZipEntry& entry, std::size_t largest, const std::string& source) {
  base::require(entry.size <= largest, ErrorCode::data, "{}: {} has {} bytes, expected at most {}", source,
                base::quoted(entry.name), entry.size, largest);
  const Bytes bytes{archive, source};
  bytes.expect(entry_magic, entry.start);
  constexpr std::size_t fixed_size = 30;
  const std::size_t start = std::size_t{entry.start} + fixed_size + bytes.number<std::uint16_t>(entry.start + 26) +
                            bytes.number<std::uint16_t>(entry.start + 28);
  std::string content = unpacked(bytes.text(start, entry.packed_size), entry, source);
  base::require(content.size() == entry.size && crc32(content) == entry.checksum, ErrorCode::data, "{}: {} is damaged",
                source, base::quoted(entry.name));
  return content;
}

}  // namespace credens::data
