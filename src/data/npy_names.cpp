// SPDX-License-Identifier: Apache-2.0

#include "data/npy_names.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/names.hpp"
#include "data/npy.hpp"
#include "data/npy_header.hpp"

namespace credens::data {

namespace {

/// NumPy keeps text as code points of four bytes, filled up with zeros to the longest.
using CodePoints = std::u32string;

constexpr unsigned continuation_bits = 6;

CodePoints code_points(std::string_view utf8) {
  CodePoints points;
  for (const char c : utf8) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0U) == 0x80U) {
      points.back() = points.back() << continuation_bits | (byte & 0x3FU);
    } else if (byte < 0x80U) {
      points.push_back(byte);
    } else {
      points.push_back(byte & (byte < 0xE0U ? 0x1FU : byte < 0xF0U ? 0x0FU : 0x07U));
    }
  }
  return points;
}

void append_utf8(char32_t point, std::string& text) {
  const auto tail = [&](unsigned shift) { return static_cast<char>(0x80U | (point >> shift & 0x3FU)); };
  if (point < 0x80U) {
    text += static_cast<char>(point);
  } else if (point < 0x800U) {
    text += {static_cast<char>(0xC0U | point >> 6), tail(0)};
  } else if (point < 0x10000U) {
    text += {static_cast<char>(0xE0U | point >> 12), tail(6), tail(0)};
  } else {
    text += {static_cast<char>(0xF0U | (point >> 18 & 0x07U)), tail(12), tail(6), tail(0)};
  }
}

/// Up to the zeros at its end.
std::string name_at(std::string_view bytes) {
  std::string name;
  std::size_t size = bytes.find_last_not_of('\0');
  size = size == std::string_view::npos ? 0 : size + 1;
  for (std::size_t at = 0; at < size; at += sizeof(char32_t)) {
    char32_t point = 0;
    std::memcpy(&point, bytes.data() + at, sizeof point);
    constexpr char32_t not_a_character = 0x110000U;
    append_utf8(std::min(point, not_a_character), name);
  }
  return name;
}

/// Code points per name of "<U12"; nothing for another type.
std::optional<std::size_t> text_size(std::string_view descr) {
  constexpr std::size_t longest_name = std::size_t{1} << 20;
  if (!descr.starts_with("<U")) return std::nullopt;
  const auto size = base::parse_double(descr.substr(2));
  if (!size || !(*size >= 1 && *size <= longest_name)) return std::nullopt;
  return static_cast<std::size_t>(*size);
}

void check_names(const std::vector<std::string>& names, const std::string& source) {
  for (const std::string& name : names) {
    base::require(base::is_utf8(name) && !has_control_character(name), ErrorCode::data,
                  "{}: the name {} of a column is no text", source, base::quoted(name));
  }
  if (const auto twins = first_duplicate(names)) {
    base::fail(ErrorCode::data, "{}: columns {} and {} are both named {}, expected different names", source,
               twins->first, twins->second, base::quoted(names[twins->first]));
  }
}

}  // namespace

std::string npy_names(const std::vector<std::string>& names) {
  std::vector<CodePoints> texts(names.size());
  std::transform(names.begin(), names.end(), texts.begin(), code_points);
  std::size_t longest = 1;
  for (const CodePoints& text : texts) longest = std::max(longest, text.size());
  std::string bytes = npy_header({names.size()}, fmt::format("<U{}", longest));
  for (CodePoints& text : texts) {
    text.resize(longest, U'\0');
    bytes.append(reinterpret_cast<const char*>(text.data()), longest * sizeof(char32_t));
  }
  return bytes;
}

std::vector<std::string> parse_npy_names(std::string_view bytes, std::size_t cols, const std::string& source) {
  const auto refuse = [&] {
    base::fail(ErrorCode::data, "{}: {} bytes behind the values that are no names of {} columns", source, bytes.size(),
               cols);
  };
  if (!is_npy(bytes)) refuse();
  const NpyHeader header = parse_npy_header(bytes, source);
  const std::optional<std::size_t> longest = text_size(header.descr);
  if (!longest || header.shape.size() != 1) refuse();
  base::require(header.shape[0] == cols, ErrorCode::data, "{}: {} names for {} columns", source, header.shape[0], cols);
  const std::size_t name_size = *longest * sizeof(char32_t);
  const std::size_t size = bytes.size() - header.values_at;
  if (size % name_size != 0 || size / name_size != cols) refuse();
  std::vector<std::string> names;
  for (std::size_t col = 0; col < cols; ++col) {
    names.push_back(name_at(bytes.substr(header.values_at + col * name_size, name_size)));
  }
  check_names(names, source);
  return names;
}

}  // namespace credens::data
