// SPDX-License-Identifier: Apache-2.0
//
// Values as bytes, as they lie in memory: for arrays in files and for messages between processes of one program.

#pragma once

#include <cstring>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/check.hpp"

namespace credens::base {

template <class T>
concept PlainValue = std::is_trivially_copyable_v<T>;

/// The memory of values that lie one after the other.
template <std::ranges::contiguous_range Values>
  requires PlainValue<std::ranges::range_value_t<Values>>
std::string_view bytes_of(const Values& values) {
  return {reinterpret_cast<const char*>(std::ranges::data(values)),
          std::ranges::size(values) * sizeof(std::ranges::range_value_t<Values>)};
}

template <PlainValue T>
void append_values(std::string& bytes, std::span<const T> values) {
  bytes += bytes_of(values);
}

template <PlainValue T>
void append_value(std::string& bytes, const T& value) {
  append_values(bytes, std::span<const T>(&value, 1));
}

/// Values with their number in front, for ByteReader::counted.
template <PlainValue T>
void append_counted(std::string& bytes, const std::vector<T>& values) {
  append_value(bytes, values.size());
  append_values(bytes, std::span<const T>(values));
}

inline void append_text(std::string& bytes, std::string_view text) {
  append_value(bytes, text.size());
  bytes += text;
}

/// Reads values in the order in which append_value, append_values and append_text wrote them. Bytes that end too early
/// throw failure.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}

  bool at_end() const { return left_.empty(); }

  std::string_view bytes(std::size_t count) {
    require(count <= left_.size(), ErrorCode::failure, "a message ends after {} bytes, expected {}", left_.size(),
            count);
    const std::string_view taken = left_.substr(0, count);
    left_.remove_prefix(count);
    return taken;
  }

  template <PlainValue T>
  void values(std::span<T> into) {
    const std::string_view taken = bytes(into.size_bytes());
    if (!into.empty()) std::memcpy(into.data(), taken.data(), taken.size());
  }

  template <PlainValue T>
  T value() {
    T found{};
    values(std::span<T>(&found, 1));
    return found;
  }

  /// As many as append_counted wrote.
  template <PlainValue T>
  std::vector<T> counted() {
    const auto count = value<std::size_t>();
    require(count <= left_.size() / sizeof(T), ErrorCode::failure, "a message ends within {} values", count);
    std::vector<T> found(count);
    values(std::span<T>(found));
    return found;
  }

  std::string text() { return std::string(bytes(value<std::size_t>())); }

 private:
  std::string_view left_;
};

}  // namespace credens::base
