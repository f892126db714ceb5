// SPDX-License-Identifier: Apache-2.0
//
// Words: numbers that round-trip, names of enumerators, the nearest of several names.

#pragma once

#include <credens/error.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace credens::base {

/// The shortest text that reads back as the same double; "inf", "-inf", "nan" for the rest.
std::string to_text(double value);

/// All of `text` as a finite double, or nothing.
std::optional<double> parse_double(std::string_view text);
std::optional<long long> parse_integer(std::string_view text);

std::vector<std::string> split(std::string_view text, char separator);
std::string join(std::span<const std::string> words, std::string_view separator);
std::string_view trim(std::string_view text);
std::string lower_case(std::string_view text);  ///< of ASCII letters

/// The bytes of the UTF-8 code point at the front of `text`; 0 if there is none (overlong, a surrogate, beyond
/// U+10FFFF, cut off).
std::size_t code_point_size(std::string_view text);
bool is_utf8(std::string_view text);

/// Text as a terminal may show it: control characters (C0, C1, direction of text) and bytes that are not UTF-8 are
/// escaped, but for the C0 characters in `kept`. Idempotent, and what it does to JSON leaves its value as it is.
std::string printable(std::string_view text, std::string_view kept = {});

/// Fits a piece of someone else's text into a sentence: printable, at most 40 characters.
std::string quoted(std::string_view text);

/// The candidate with the fewest edits to `name`, case aside: at most a third of its letters (at least 1), never all.
std::optional<std::string> nearest(std::string_view name, std::span<const std::string> candidates);

/// "did you mean X?" with a leading "; ", or nothing.
std::string suggestion(std::string_view name, std::span<const std::string> candidates);

/// Specialise with `static constexpr std::pair<E, std::string_view> entries[]` and `static constexpr std::string_view
/// what`.
template <class E>
struct EnumNames;

template <class E>
std::string_view name_of(E value) {
  for (const auto& [entry, name] : EnumNames<E>::entries) {
    if (entry == value) return name;
  }
  return "?";
}

template <class E>
std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const auto& [entry, name] : EnumNames<E>::entries) names.emplace_back(name);
  return names;
}

template <class E>
std::optional<E> find_enum(std::string_view text) {
  for (const auto& [entry, name] : EnumNames<E>::entries) {
    if (name == text) return entry;
  }
  return std::nullopt;
}

/// Throws usage: `what "text" is unknown, expected one of a, b, c`.
template <class E>
E parse_enum(std::string_view text) {
  if (const auto value = find_enum<E>(text)) return *value;
  throw Error(ErrorCode::usage, fmt::format("{} {} is unknown, expected one of {}", EnumNames<E>::what, quoted(text),
                                            join(all_names<E>(), ", ")));
}

}  // namespace credens::base
