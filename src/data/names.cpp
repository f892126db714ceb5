// SPDX-License-Identifier: Apache-2.0

#include "data/names.hpp"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

namespace credens::data {

namespace {

using Byte = unsigned char;

bool is_continuation(char c) {
  return (static_cast<Byte>(c) & 0xc0) == 0x80;
}

/// The bytes of the code point at the front, or 0 if it is none (overlong, a surrogate, beyond U+10FFFF, cut off).
std::size_t code_point_size(std::string_view text) {
  const auto first = static_cast<Byte>(text.front());
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
  if (!std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(size), is_continuation)) return 0;
  const auto second = static_cast<Byte>(text[1]);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second >= 0xa0;
  const bool too_large = first == 0xf4 && second >= 0x90;
  return overlong || surrogate || too_large ? 0 : size;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = code_point_size(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return static_cast<Byte>(c) < 0x20 || c == 0x7f; });
}

std::optional<std::pair<std::size_t, std::size_t>> first_duplicate(std::span<const std::string> names) {
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [earlier, is_new] = seen.emplace(names[i], i);
    if (!is_new) return std::pair(earlier->second, i);
  }
  return std::nullopt;
}

std::string count_of(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::vector<std::string> default_target_names(std::size_t count) {
  if (count == 1) return {"y"};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("y{}", i));
  return names;
}

}  // namespace credens::data
