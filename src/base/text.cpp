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

/// U+0000 to U+001F, U+007F to U+009F.
bool is_control_character(std::string_view code_point) {
  const auto first = static_cast<Byte>(code_point.front());
  if (code_point.size() == 1) return first < 0x20 || first == 0x7f;
  return first == 0xc2 && static_cast<Byte>(code_point[1]) < 0xa0;
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

std::string quoted(std::string_view text) {
  constexpr int longest = 40;
  std::string result = "\"";
  for (int count = 0; !text.empty() && count < longest; ++count) {
    const std::size_t size = code_point_size(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(size, 1));
    if (size > 0 && !is_control_character(character)) {
      result += character;
    } else {
      for (const char c : character) result += fmt::format("\\x{:02x}", static_cast<Byte>(c));
    }
    text.remove_prefix(character.size());
  }
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
