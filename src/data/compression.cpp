// SPDX-License-Identifier: Apache-2.0

#include "data/compression.hpp"

#include <zstd.h>
#include <zstd_errors.h>
#include <algorithm>
#include <boost/iostreams/categories.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zlib.hpp>
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

/// Thrown for an archive that must remember more of what it unpacked than its library allows.
struct NeedsMemory {
  std::string_view allowed;
};

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

/// The filter joins the streams of an archive itself. It throws at close when the last one is incomplete.
class XzDecoder : public Decoder {
 public:
  void add(std::string_view bytes, BoundedSink sink) override {
    constexpr int memory_limit_reached = 6;  // LZMA_MEMLIMIT_ERROR
    try {
      filter_.write(sink, bytes.data(), signed_size(bytes));
    } catch (const io::lzma_error& error) {
      if (error.error() == memory_limit_reached) throw NeedsMemory{"100 MiB"};
      throw;
    }
  }

  bool finish(BoundedSink sink) override {
    filter_.close(sink, std::ios_base::out);
    return true;
  }

 private:
  io::lzma_decompressor filter_;
};

/// One zstd frame after the other. A frame that states how much it holds must hold it: libzstd itself checks that only
/// where it is given the frame in one piece.
class ZstdDecoder : public Decoder {
 public:
  void add(std::string_view bytes, BoundedSink sink) override {
    ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
    while (input.pos < input.size || has_more_) {
      const std::size_t start = input.pos;
      ZSTD_outBuffer output{room_.data(), room_.size(), 0};
      const std::size_t left = ZSTD_decompressStream(stream_.get(), &output, &input);
      check(left);
      header_.append(bytes.substr(start, std::min(input.pos - start, longest_header - header_.size())));
      sink.write(room_.data(), static_cast<std::streamsize>(output.pos));
      unpacked_ += output.pos;
      has_more_ = output.pos == output.size;
      is_between_frames_ = left == 0;
      if (is_between_frames_) end_frame();
    }
  }

  bool finish(BoundedSink) override { return is_between_frames_; }

 private:
  static constexpr std::size_t longest_header = 18;

  static void check(std::size_t result) {
    if (!ZSTD_isError(result)) return;
    if (ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge) throw NeedsMemory{"128 MiB"};
    throw std::ios_base::failure(ZSTD_getErrorName(result));
  }

  void end_frame() {
    const unsigned long long stated = ZSTD_getFrameContentSize(header_.data(), header_.size());
    if (stated != ZSTD_CONTENTSIZE_UNKNOWN && stated != unpacked_) {
      throw std::ios_base::failure("a frame does not hold as much as it states");
    }
    header_.clear();
    unpacked_ = 0;
    has_more_ = false;
  }

  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  std::unique_ptr<ZSTD_DStream, Free> stream_{ZSTD_createDStream()};
  std::string room_ = std::string(ZSTD_DStreamOutSize(), '\0');
  std::string header_;  ///< the first bytes of the frame
  unsigned long long unpacked_ = 0;
  bool has_more_ = false;  ///< the output was full
  bool is_between_frames_ = true;
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
    {"xz", "\xfd\x37zXZ\x00"sv, make<XzDecoder>},
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
  } catch (const NeedsMemory& needed) {
    base::fail(ErrorCode::data, "{}: the {} archive needs more than {} of memory to unpack, expected at most that",
               source_, kind_, needed.allowed);
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
