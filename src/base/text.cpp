// SPDX-License-Identifier: Apache-2.0

#include "base/text.hpp"

#include <fast_float/fast_float.h>
#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

namespace credens::base {

std::string to_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return fmt::format("{}", value);
}

std::optional<double> parse_double(std::string_view text) {
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = fast_float::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<long long> parse_integer(std::string_view text) {
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> words;
  for (;;) {
    const std::size_t at = text.find(separator);
    words.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return words;
    text.remove_prefix(at + 1);
  }
}

std::string join(std::span<const std::string> words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words.begin(), words.end(), separator));
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

namespace {

using Byte = unsigned char;

bool is_continuation(char c) {
  return (static_cast<Byte>(c) & 0xc0) == 0x80;
}

/// Overlong, a surrogate or beyond U+10FFFF: forms that UTF-8 forbids, told by the first two bytes.
bool is_forbidden(Byte first, Byte second) {
  return (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90) || (first == 0xed && second >= 0xa0) ||
         (first == 0xf4 && second >= 0x90);
}

/// The number of a code point of at most three bytes; those of four bytes are above all that is asked for here.
unsigned number_of(std::string_view code_point) {
  const auto byte = [&](std::size_t i) { return unsigned{static_cast<Byte>(code_point[i])}; };
  if (code_point.size() == 1) return byte(0);
  if (code_point.size() == 2) return (byte(0) & 0x1fU) << 6U | (byte(1) & 0x3fU);
  return (byte(0) & 0x0fU) << 12U | (byte(1) & 0x3fU) << 6U | (byte(2) & 0x3fU);
}

/// Characters that a terminal obeys instead of showing them: C0, DEL, C1, line separators, and marks that turn the
/// direction of text.
bool is_control(unsigned point) {
  constexpr std::pair<unsigned, unsigned> ranges[] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},
                                                      {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};
  return std::ranges::any_of(ranges, [&](const auto& range) { return point >= range.first && point <= range.second; });
}

/// Takes the first character off `text` and appends it, escaped where a terminal would not show it.
void append_printable(std::string_view& text, std::string& to, std::string_view kept = {}) {
  const std::size_t size = code_point_size(text);
  const std::string_view character = text.substr(0, std::max<std::size_t>(size, 1));
  const unsigned point = size == 4 ? 0xffff : number_of(character);
  text.remove_prefix(character.size());
  if (size == 0 || (point < 0x20 && kept.find(character) == std::string_view::npos)) {
    to += fmt::format("\\x{:02x}", static_cast<Byte>(character.front()));
  } else if (point >= 0x20 && is_control(point)) {
    to += fmt::format("\\u{:04x}", point);
  } else {
    to += character;
  }
}

}  // namespace

std::size_t code_point_size(std::string_view text) {
  if (text.empty()) return 0;
  const auto first = static_cast<Byte>(text.front());
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
  const std::string_view tail = text.substr(1, size - 1);
  if (!std::all_of(tail.begin(), tail.end(), is_continuation)) return 0;
  return is_forbidden(first, static_cast<Byte>(text[1])) ? 0 : size;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = code_point_size(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

std::string printable(std::string_view text, std::string_view kept) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) append_printable(text, result, kept);
  return result;
}

std::string quoted(std::string_view text) {
  constexpr int longest = 40;
  std::string result = "\"";
  for (int count = 0; !text.empty() && count < longest; ++count) append_printable(text, result);
  return result + (text.empty() ? "\"" : "...\"");
}

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string> nearest(std::string_view name, std::span<const std::string> candidates) {
  std::optional<std::string> best;
  std::size_t fewest = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t edits = edit_distance(lower_case(name), lower_case(candidate));
    if (edits < fewest && edits < name.size()) {
      fewest = edits;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view name, std::span<const std::string> candidates) {
  const auto best = nearest(name, candidates);
  return best ? fmt::format("; did you mean {}?", *best) : "";
}

}  // namespace credens::base
