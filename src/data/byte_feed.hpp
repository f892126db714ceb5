// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a file from its start to its end, unpacked, in pieces: for what cannot be mapped.

#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "base/file.hpp"
#include "data/compression.hpp"

namespace credens::data {

class ByteFeed {
 public:
  explicit ByteFeed(const std::filesystem::path& path);  ///< `-` is standard input; throws io

  /// Appends the next bytes, at least one and at most some megabytes. False: there are no more.
  bool append(std::string& bytes);
  bool ended() const { return ended_; }
  bool is_ready() const;  ///< whether `append` would not wait for whoever writes the file

 private:
  std::string read();
  void start();
  void unpack(std::string& bytes);

  base::InputFile file_;
  std::string first_;  ///< bytes that were read to recognise an archive
  std::optional<Unpacker> unpacker_;
  std::string packed_;        ///< the next bytes of an archive
  std::size_t unpacked_ = 0;  ///< so many of them were
  bool started_ = false;
  bool ended_ = false;
};

}  // namespace credens::data
