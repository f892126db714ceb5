// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a file, a window at a time.

#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "data/compression.hpp"
#include "data/encoding.hpp"

namespace credens::data {

/// The bytes of a file from its start to its end, unpacked and, from UTF-16, turned into UTF-8, in pieces: for what
/// cannot be mapped.
class ByteFeed {
 public:
  /// `-` is standard input; throws io.
  explicit ByteFeed(const std::filesystem::path& path) : file_(path) {}

  /// Appends the next bytes, at least one and at most some megabytes. False: there are no more.
  bool append(std::string& bytes);
  bool ended() const { return ended_; }
  bool is_ready() const;  ///< whether `append` would not wait for whoever writes the file

 private:
  std::string read();
  void start();
  void unpack(std::string& bytes);
  void append_unpacked(std::string& bytes);
  void recognise_encoding();

  base::InputFile file_;
  std::string first_;  ///< bytes that were read to recognise an archive
  std::optional<Unpacker> unpacker_;
  std::string packed_;        ///< the next bytes of an archive
  std::size_t unpacked_ = 0;  ///< so many of them were
  std::string start_;         ///< unpacked bytes that were read to recognise UTF-16
  std::optional<Utf16Decoder> decoder_;
  bool started_ = false;
  bool ended_ = false;
};

enum class Passes { many, one };

/// A regular file is mapped window by window, so that no more of it than a window is held. What cannot be mapped
/// (standard input, pipes), archives, which are unpacked, and UTF-16 text, which becomes UTF-8, are held whole up to 64
/// MB and beyond that kept in a nameless temporary file. In one pass they are not kept, unless their size is asked for
/// before any has passed: windows must not begin before earlier ones did.
class ByteSource {
 public:
  /// Throws io, or data for a damaged archive.
  explicit ByteSource(const std::filesystem::path& path, Passes passes = Passes::many);
  ByteSource(std::string_view bytes, std::string name) : name_(std::move(name)), bytes_(bytes), size_(bytes.size()) {}
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  const std::string& name() const { return name_; }     ///< how sentences call it
  bool knows_size() const { return feed_ == nullptr; }  ///< else it takes reading, and keeping, all of it
  std::size_t size();

  /// Clipped at the end of the file; valid until the next call.
  std::string_view window(std::size_t first, std::size_t count);

  /// As `window`, but of bytes that are still to come no more than `least` are waited for.
  std::string_view arrived(std::size_t first, std::size_t least, std::size_t most);

  bool ended() const { return !feed_ || feed_->ended(); }  ///< whether no bytes are still to come

 private:
  bool open_regular(const std::filesystem::path& path);
  void keep_all();
  void read_up_to(std::size_t least, std::size_t most);
  void unmap();

  std::string name_;
  std::unique_ptr<ByteFeed> feed_;  ///< of bytes that are still to come, in one pass
  std::string held_;                ///< from `held_from_` on
  std::size_t held_from_ = 0;
  std::string_view bytes_;  ///< all that is held, unless mapped
  std::size_t size_ = 0;
  base::Descriptor file_;  ///< none: not mapped
  void* mapping_ = nullptr;
  std::size_t mapping_size_ = 0;
};

}  // namespace credens::data
