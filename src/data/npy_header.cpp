// SPDX-License-Identifier: Apache-2.0

#include "data/npy_header.hpp"

#include <charconv>
#include <cstdint>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/npy.hpp"

namespace credens::data {

namespace {

constexpr std::size_t magic_size = 6;

/// Little-endian.
std::size_t read_unsigned(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// Reads the few kinds of Python literals that occur in headers.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& source) : rest_(text), source_(source) {}

  NpyHeader read() {
    NpyHeader header;
    int keys = 0;
    expect('{');
    while (!accept('}')) {
      const std::string key = read_string();
      expect(':');
      read_value(key, header);
      ++keys;
      if (!accept(',') && !at('}')) fail();
    }
    constexpr int expected_keys = 3;
    if (keys != expected_keys || header.descr.empty() || !has_order_ || !has_shape_ || !at_end()) fail();
    return header;
  }

 private:
  [[noreturn]] void fail() const {
    base::fail(ErrorCode::data, "{}: the header is not that of a NumPy array", source_);
  }

  void skip_space() {
    const std::size_t first = rest_.find_first_not_of(" \n\t");
    rest_.remove_prefix(first == std::string_view::npos ? rest_.size() : first);
  }

  bool at(char c) {
    skip_space();
    return rest_.starts_with(c);
  }

  bool at_end() {
    skip_space();
    return rest_.empty();
  }

  bool accept(char c) {
    const bool found = at(c);
    if (found) rest_.remove_prefix(1);
    return found;
  }

  void expect(char c) {
    if (!accept(c)) fail();
  }

  bool accept_word(std::string_view word) {
    skip_space();
    const bool found = rest_.starts_with(word);
    if (found) rest_.remove_prefix(word.size());
    return found;
  }

  std::string read_string() {
    const char quote = at('"') ? '"' : '\'';
    expect(quote);
    const std::size_t size = rest_.find(quote);
    if (size == std::string_view::npos) fail();
    std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size + 1);
    return text;
  }

  void read_value(std::string_view key, NpyHeader& header) {
    if (key == "descr") {
      base::require(!at('['), ErrorCode::data, "{}: an array of records, expected one of numbers", source_);
      header.descr = read_string();
    } else if (key == "fortran_order") {
      header.fortran_order = accept_word("True");
      if (!header.fortran_order && !accept_word("False")) fail();
      has_order_ = true;
    } else if (key == "shape") {
      header.shape = read_shape();
      has_shape_ = true;
    } else {
      fail();
    }
  }

  std::vector<std::size_t> read_shape() {
    std::vector<std::size_t> shape;
    expect('(');
    while (!accept(')')) {
      shape.push_back(read_size());
      if (!accept(',') && !at(')')) fail();
    }
    return shape;
  }

  std::size_t read_size() {
    skip_space();
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
    if (error != std::errc()) fail();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    accept('L');  // Python 2 wrote its long integers so
    return size;
  }

  std::string_view rest_;
  const std::string& source_;
  bool has_order_ = false;
  bool has_shape_ = false;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view bytes, const std::string& source) {
  base::require(is_npy(bytes), ErrorCode::data, "{}: not a NumPy array: it does not start with \\x93NUMPY", source);
  const auto truncated = [&] {
    base::fail(ErrorCode::data, "{}: the NumPy array is truncated within its header", source);
  };
  if (bytes.size() < magic_size + 2) truncated();
  const int version = static_cast<unsigned char>(bytes[magic_size]);
  base::require(version >= 1 && version <= 3, ErrorCode::data, "{}: version {} of the NumPy format, expected 1, 2 or 3",
                source, version);
  const std::size_t length_at = magic_size + 2;
  const std::size_t length_size = version == 1 ? 2 : 4;
  if (bytes.size() < length_at + length_size) truncated();
  const std::size_t length = read_unsigned(bytes.substr(length_at, length_size));
  const std::size_t text_at = length_at + length_size;
  if (length > bytes.size() - text_at) truncated();
  NpyHeader header = HeaderReader(bytes.substr(text_at, length), source).read();
  header.values_at = text_at + length;
  return header;
}

}  // namespace credens::data
