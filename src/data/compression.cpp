// SPDX-License-Identifier: Apache-2.0

#include "data/compression.hpp"

#include <algorithm>
#include <boost/iostreams/categories.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zlib.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <ios>
#include <optional>
#include <string_view>
#include <utility>

#include "base/check.hpp"

namespace credens::data {

/// Takes unpacked bytes up to a size: a small archive can hold more than any memory.
struct BoundedSink {
  using char_type = char;
  using category = boost::iostreams::sink_tag;
  struct Overflow {};  ///< thrown where a decoder writes more than the sink takes

  std::string* content;
  std::size_t largest;

  std::streamsize write(const char* bytes, std::streamsize count) {
    if (static_cast<std::size_t>(count) > largest - content->size()) throw Overflow();
    content->append(bytes, static_cast<std::size_t>(count));
    return count;
  }
};

namespace {

namespace io = boost::iostreams;
using namespace std::string_view_literals;

std::streamsize signed_size(std::string_view bytes) {
  return static_cast<std::streamsize>(bytes.size());
}

/// One gzip member after the other. zlib stops by itself at the end of a member; at the end of the archive it is
/// offered one byte too many, so that a decoder which takes that byte has not found its end.
class GzipDecoder : public Decoder {
 public:
  void add(std::string_view bytes, BoundedSink sink) override {
    while (!bytes.empty()) {
      if (!member_) member_.emplace(params());
      const std::streamsize used = member_->write(sink, bytes.data(), signed_size(bytes));
      bytes.remove_prefix(static_cast<std::size_t>(used));
      if (!bytes.empty()) member_.reset();
    }
  }

  bool finish(BoundedSink sink) override { return !member_ || member_->write(sink, "", 1) == 0; }

 private:
  static io::zlib_params params() {
    constexpr int gzip_window_bits = 15 + 16;  // zlib's way to ask for gzip's header and checksum
    io::zlib_params params;
    params.window_bits = gzip_window_bits;
    return params;
  }

  std::optional<io::zlib_decompressor> member_;  ///< none between members
};

/// A filter that joins the streams of an archive itself. That of xz throws at close when the last one is incomplete.
template <class Filter>
class JoiningDecoder : public Decoder {
 public:
  void add(std::string_view bytes, BoundedSink sink) override { filter_.write(sink, bytes.data(), signed_size(bytes)); }

  bool finish(BoundedSink sink) override {
    filter_.close(sink, std::ios_base::out);
    return true;
  }

 private:
  Filter filter_;
};

/// The filter does not tell an incomplete last frame. So a frame of our own follows: 64 ones as one run-length block.
/// They come out at the end only if the filter was between frames.
class ZstdDecoder : public JoiningDecoder<io::zstd_decompressor> {
 public:
  bool finish(BoundedSink sink) override {
    constexpr std::string_view end_frame = "\x28\xb5\x2f\xfd\x20\x40\x03\x02\x00\x01"sv;
    const std::string end_mark(64, '\x01');
    sink.largest = sink.largest > no_limit - end_mark.size() ? no_limit : sink.largest + end_mark.size();
    add(end_frame, sink);
    JoiningDecoder::finish(sink);
    const bool complete = sink.content->ends_with(end_mark);
    if (complete) sink.content->resize(sink.content->size() - end_mark.size());
    return complete;
  }
};

template <class Kind>
std::unique_ptr<Decoder> make() {
  return std::make_unique<Kind>();
}

struct ArchiveKind {
  std::string_view name;
  std::string_view magic;
  std::unique_ptr<Decoder> (*make_decoder)();
};

constexpr ArchiveKind archive_kinds[] = {
    {"gzip", "\x1f\x8b"sv, make<GzipDecoder>},
    {"xz", "\xfd\x37zXZ\x00"sv, make<JoiningDecoder<io::lzma_decompressor>>},
    {"zstd", "\x28\xb5\x2f\xfd"sv, make<ZstdDecoder>},
};

const ArchiveKind* kind_of(std::string_view bytes) {
  return std::find_if(std::begin(archive_kinds), std::end(archive_kinds),
                      [&](const ArchiveKind& candidate) { return bytes.starts_with(candidate.magic); });
}

}  // namespace

bool is_archive(std::string_view bytes) {
  return kind_of(bytes) != std::end(archive_kinds);
}

Unpacker::Unpacker(std::string_view start, std::string source) : source_(std::move(source)) {
  const ArchiveKind* const kind = kind_of(start);
  kind_ = kind->name;
  decoder_ = kind->make_decoder();
}

template <class Work>
void Unpacker::guarded(std::size_t largest, const Work& work) {
  try {
    work();
  } catch (const std::ios_base::failure&) {
    base::fail(ErrorCode::data, "{}: the {} archive is damaged or truncated", source_, kind_);
  } catch (const BoundedSink::Overflow&) {
    base::fail(ErrorCode::data, "{}: the {} archive holds more than {} bytes, expected at most that", source_, kind_,
               largest);
  }
}

void Unpacker::add(std::string_view bytes, std::string& into, std::size_t largest) {
  guarded(largest, [&] { decoder_->add(bytes, {&into, largest}); });
}

void Unpacker::finish(std::string& into, std::size_t largest) {
  guarded(largest, [&] {
    base::require(decoder_->finish({&into, largest}), ErrorCode::data, "{}: the {} archive is truncated", source_,
                  kind_);
  });
}

std::string decompress(std::string bytes, const std::string& source, std::size_t largest) {
  if (!is_archive(bytes)) return bytes;
  std::string unpacked;
  Unpacker unpacker(bytes, source);
  unpacker.add(bytes, unpacked, largest);
  unpacker.finish(unpacked, largest);
  return unpacked;
}

}  // namespace credens::data
