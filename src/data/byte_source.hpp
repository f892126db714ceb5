// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a file, a window at a time.

#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace credens::data {

/// A regular file is mapped window by window, so that no more of it than a window is held. What cannot be mapped
/// (standard input, pipes) and archives, which are unpacked, are held whole.
class ByteSource {
 public:
  explicit ByteSource(const std::filesystem::path& path);  ///< throws io, or data for a damaged archive
  ByteSource(std::string_view bytes, std::string name) : name_(std::move(name)), bytes_(bytes), size_(bytes.size()) {}
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  const std::string& name() const { return name_; }  ///< how sentences call it
  std::size_t size() const { return size_; }

  /// Clipped at the end of the file; valid until the next call.
  std::string_view window(std::size_t first, std::size_t count);

 private:
  bool open_regular(const std::filesystem::path& path);
  void unmap();

  std::string name_;
  std::string held_;
  std::string_view bytes_;  ///< all, unless mapped
  std::size_t size_ = 0;
  int descriptor_ = -1;  ///< < 0: not mapped
  void* mapping_ = nullptr;
  std::size_t mapping_size_ = 0;
};

}  // namespace credens::data
