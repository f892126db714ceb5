// SPDX-License-Identifier: Apache-2.0
//
// Shared parts of the fuzz targets. Whatever the bytes are, reading them ends in a result or in one sentence; anything
// else that is thrown, and a law that does not hold, ends the program, which is how a find is noticed.

#pragma once

#include <credens/error.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace credens::fuzz {

inline void must(bool holds, const char* law) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", law);
  std::abort();
}

/// Whether `action` ended without an error.
template <class Action>
bool survives(const Action& action) {
  try {
    action();
    return true;
  } catch (const Error& error) {
    const std::string_view sentence = error.what();
    must(!sentence.empty() && sentence.find('\n') == std::string_view::npos, "an error is one sentence");
    return false;
  }
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Bit by bit, so that what is not a number equals itself.
inline bool are_same(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

}  // namespace credens::fuzz
