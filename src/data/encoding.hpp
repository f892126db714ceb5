// SPDX-License-Identifier: Apache-2.0
//
// Text that is not UTF-8: UTF-16 with a mark, and the one-byte characters of Western Europe.

#pragma once

#include <credens/error.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace credens::data {

/// Whether `bytes` start with the mark of UTF-16 (FF FE or FE FF); two bytes tell.
bool has_utf16_mark(std::string_view bytes);

/// Throws data where the start of a file, without the mark of UTF-8, is no text in UTF-8 or Latin-1.
void check_text(std::string_view text, const std::string& source);

/// Turns UTF-16 that comes in pieces, its mark first, into UTF-8 without a mark. Every piece may end within a
/// character.
class Utf16Decoder {
 public:
  explicit Utf16Decoder(std::string source) : source_(std::move(source)) {}

  /// Throws data, with the line, for half a surrogate pair.
  void add(std::string_view bytes, std::string& into);
  void finish() const;  ///< throws data for text that ends within a character

 private:
  void add_unit(std::uint32_t unit, std::string& into);

  std::string source_;
  std::optional<bool> is_big_endian_;      ///< none before the mark
  std::optional<unsigned char> odd_byte_;  ///< the first half of a unit
  std::uint32_t high_surrogate_ = 0;       ///< the first half of a pair; 0: none waits
  std::size_t line_ = 1;
  bool is_first_ = true;
};

/// Latin-1 with the characters that Windows adds (Windows-1252) as UTF-8; none for a byte that stands for nothing.
std::optional<std::string> utf8_from_latin1(std::string_view text);

/// The encoding of a file's names and words, which the first of them that is not plain ASCII tells.
class TextEncoding {
 public:
  /// A name or word as UTF-8; `room` holds it where it was Latin-1. Throws data, with `place()`, where it is of neither
  /// encoding or of another than those before it.
  template <class Place>
  std::string_view utf8_of(std::string_view text, std::string& room, const Place& place) {
    const std::string fault = convert(text, room);
    if (!fault.empty()) throw Error(ErrorCode::data, place() + ": " + fault);
    return text;
  }

  bool is_latin1() const { return is_utf8_ == false; }

 private:
  std::string convert(std::string_view& text, std::string& room);

  std::optional<bool> is_utf8_;  ///< none while all text was ASCII
};

}  // namespace credens::data
