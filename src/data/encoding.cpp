// SPDX-License-Identifier: Apache-2.0

#include "data/encoding.hpp"

#include <algorithm>
#include <array>

#include "base/check.hpp"
#include "base/text.hpp"

namespace credens::data {

namespace {

using namespace std::string_view_literals;

void append_utf8(std::uint32_t point, std::string& into) {
  const auto add = [&](std::uint32_t byte) { into += static_cast<char>(byte); };
  const auto add_tail = [&](unsigned shift) { add(0x80U | (point >> shift & 0x3fU)); };
  if (point < 0x80) return add(point);
  if (point < 0x800) {
    add(0xc0U | point >> 6U);
    return add_tail(0);
  }
  if (point < 0x10000) {
    add(0xe0U | point >> 12U);
  } else {
    add(0xf0U | point >> 18U);
    add_tail(12);
  }
  add_tail(6);
  add_tail(0);
}

/// Characters of the bytes 0x80 to 0x9f in Windows-1252; 0: none.
constexpr std::array<std::uint16_t, 32> windows_characters = {
    0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

bool is_high_surrogate(std::uint32_t unit) {
  return unit >= 0xd800 && unit < 0xdc00;
}

bool is_low_surrogate(std::uint32_t unit) {
  return unit >= 0xdc00 && unit < 0xe000;
}

}  // namespace

bool has_utf16_mark(std::string_view bytes) {
  return bytes.starts_with("\xff\xfe"sv) || bytes.starts_with("\xfe\xff"sv);
}

void check_text(std::string_view text, const std::string& source) {
  base::require(!has_utf16_mark(text), ErrorCode::data, "{}: UTF-16 text, expected UTF-8", source);
  base::require(!text.empty(), ErrorCode::data, "{}: empty, expected a table", source);
  const bool has_one_zero = text.size() > 1 && (text[0] == '\0') != (text[1] == '\0');
  base::require(!has_one_zero, ErrorCode::data,
                "{}: UTF-16 text without its mark (the bytes FF FE or FE FF at its start), expected UTF-8, or the mark",
                source);
  base::require(text.find('\0') == std::string_view::npos, ErrorCode::data,
                "{}: binary data (a zero byte), expected a table as text", source);
}

void Utf16Decoder::add(std::string_view bytes, std::string& into) {
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (!odd_byte_) {
      odd_byte_ = byte;
      continue;
    }
    const unsigned first = *odd_byte_;
    odd_byte_.reset();
    if (!is_big_endian_) {
      is_big_endian_ = first == 0xfe;  // the mark itself
    } else {
      add_unit(*is_big_endian_ ? first << 8U | byte : unsigned{byte} << 8U | first, into);
    }
  }
}

void Utf16Decoder::add_unit(std::uint32_t unit, std::string& into) {
  base::require(!is_first_ || unit != 0, ErrorCode::data, "{}: UTF-32 text, expected UTF-8 or UTF-16", source_);
  is_first_ = false;
  const bool is_pair = high_surrogate_ != 0 && is_low_surrogate(unit);
  base::require(is_pair || (high_surrogate_ == 0 && !is_low_surrogate(unit)), ErrorCode::data,
                "{}:{}: half a character (0x{:04X}), expected whole characters of UTF-16", source_, line_,
                high_surrogate_ != 0 ? high_surrogate_ : unit);
  if (is_high_surrogate(unit)) {
    high_surrogate_ = unit;
    return;
  }
  if (is_pair) unit = 0x10000U + ((high_surrogate_ - 0xd800U) << 10U) + (unit - 0xdc00U);
  high_surrogate_ = 0;
  if (unit == '\n') ++line_;
  append_utf8(unit, into);
}

void Utf16Decoder::finish() const {
  base::require(!odd_byte_ && high_surrogate_ == 0, ErrorCode::data,
                "{}:{}: the text ends within a character of UTF-16: it is cut off", source_, line_);
}

std::optional<std::string> utf8_from_latin1(std::string_view text) {
  std::string utf8;
  for (const char c : text) {
    std::uint32_t point = static_cast<unsigned char>(c);
    if (point >= 0x80 && point < 0xa0) {
      point = windows_characters[point - 0x80];
      if (point == 0) return std::nullopt;
    }
    append_utf8(point, utf8);
  }
  return utf8;
}

/// The sentence about a text that cannot be used, or nothing.
std::string TextEncoding::convert(std::string_view& text, std::string& room) {
  if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return {};
  const bool is_utf8 = base::is_utf8(text);
  if (is_utf8_.value_or(is_utf8) != is_utf8) {
    return fmt::format("{} is {}UTF-8, the text before it is {}, expected one encoding", base::quoted(text),
                       is_utf8 ? "" : "not ", is_utf8 ? "not" : "UTF-8");
  }
  if (!is_utf8) {
    const std::optional<std::string> utf8 = utf8_from_latin1(text);
    if (!utf8) return fmt::format("{} is neither UTF-8 nor Latin-1", base::quoted(text));
    text = room = *utf8;
  }
  is_utf8_ = is_utf8;
  return {};
}

}  // namespace credens::data
