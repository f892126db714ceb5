// SPDX-License-Identifier: Apache-2.0
//
// A hash of content: fingerprints of data, checksums of files.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace credens::base {

/// XXH3-128 (seed 0) of bytes that arrive in pieces.
class ContentHash {
 public:
  ContentHash();
  ContentHash(const ContentHash& other);
  ~ContentHash();

  void add(std::string_view bytes);

  /// 32 lowercase hexadecimal digits, the most significant first, as xxhsum prints them.
  std::string digits() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// XXH3-64 of bytes that are there at once.
std::uint64_t hash_of(std::string_view bytes, std::uint64_t seed = 0);

}  // namespace credens::base
