// SPDX-License-Identifier: Apache-2.0
//
// Archives around tables: gzip, xz and zstd, recognised by their first bytes.

#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

namespace credens::data {

/// Whether `bytes` start like an archive; six bytes tell.
bool is_archive(std::string_view bytes);

inline constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

/// The content of an archive, also of several joined end to end; other bytes come back as they are. A damaged or
/// truncated archive throws data, and so does one that holds more than `largest` bytes, before they are unpacked.
std::string decompress(std::string bytes, const std::string& source, std::size_t largest = no_limit);

struct BoundedSink;

/// One kind of archive.
class Decoder {
 public:
  Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  virtual ~Decoder() = default;

  virtual void add(std::string_view bytes, BoundedSink sink) = 0;
  virtual bool finish(BoundedSink sink) = 0;  ///< false: the archive ends too early
};

/// Unpacks an archive that comes in pieces.
class Unpacker {
 public:
  /// `start` are the first bytes of an archive, which are still to be added.
  Unpacker(std::string_view start, std::string source);

  void add(std::string_view bytes, std::string& into, std::size_t largest = no_limit);
  void finish(std::string& into, std::size_t largest = no_limit);  ///< throws data for an archive that is not whole

 private:
  template <class Work>
  void guarded(std::size_t largest, const Work& work);

  std::string source_;
  std::string_view kind_;
  std::unique_ptr<Decoder> decoder_;
};

}  // namespace credens::data
