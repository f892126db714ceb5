// SPDX-License-Identifier: Apache-2.0

#include "data/npy.hpp"

#include <algorithm>
#include <bit>
#include <boost/locale/encoding_utf.hpp>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "data/table.hpp"

namespace credens::data {

static_assert(std::endian::native == std::endian::little, "values are copied as they lie in the file");

namespace {

using namespace std::string_view_literals;

constexpr std::string_view magic = "\x93NUMPY"sv;

template <class T>
void convert(const char* bytes, std::span<double> values) {
  for (double& value : values) {
    T item;
    std::memcpy(&item, bytes, sizeof item);
    value = static_cast<double>(item);
    bytes += sizeof item;
  }
}

void convert_bool(const char* bytes, std::span<double> values) {
  for (double& value : values) value = *bytes++ == 0 ? 0.0 : 1.0;
}

struct ItemType {
  std::string_view code;  ///< kind and size, without byte order
  std::size_t size;
  void (*convert)(const char* bytes, std::span<double> values);
};

constexpr ItemType item_types[] = {
    {"f4", 4, convert<float>},         {"f8", 8, convert<double>},        {"b1", 1, convert_bool},
    {"i1", 1, convert<std::int8_t>},   {"i2", 2, convert<std::int16_t>},  {"i4", 4, convert<std::int32_t>},
    {"i8", 8, convert<std::int64_t>},  {"u1", 1, convert<std::uint8_t>},  {"u2", 2, convert<std::uint16_t>},
    {"u4", 4, convert<std::uint32_t>}, {"u8", 8, convert<std::uint64_t>},
};

const ItemType& item_type(std::string_view descr, const std::string& source) {
  const std::string_view code = descr.substr(std::min<std::size_t>(1, descr.size()));
  const auto* type =
      std::find_if(std::begin(item_types), std::end(item_types), [&](const ItemType& t) { return t.code == code; });
  const bool known = type != std::end(item_types);
  base::require(!known || descr.front() != '>' || type->size == 1, ErrorCode::data,
                "{}: the values are big-endian ({}), expected little-endian", source, base::quoted(descr));
  base::require(!code.starts_with('O') && descr != "O", ErrorCode::data,
                "{}: an array of Python objects, expected one of numbers", source);
  base::require(known && std::string_view("<|=>").find(descr.front()) != std::string_view::npos, ErrorCode::data,
                "{}: values of type {}, expected f4, f8, b1, i1 to i8 or u1 to u8", source, base::quoted(descr));
  return *type;
}

/// The product of the sizes; nothing if the values would have more bytes than can be counted.
std::optional<std::size_t> count_values(const std::vector<std::size_t>& shape, std::size_t item_size) {
  if (std::find(shape.begin(), shape.end(), std::size_t{0}) != shape.end()) return 0;
  const std::size_t most = std::numeric_limits<std::size_t>::max() / item_size;
  std::size_t count = 1;
  for (const std::size_t size : shape) {
    if (size > most / count) return std::nullopt;
    count *= size;
  }
  return count;
}

std::string shape_text(const std::vector<std::size_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

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
    expect("{");
    while (!accept("}")) {
      const std::string key = read_string();
      expect(":");
      read_value(key, header);
      ++keys;
      if (!accept(",") && !at("}")) fail();
    }
    constexpr int expected_keys = 3;
    if (keys != expected_keys || header.descr.empty() || !has_order_ || !has_shape_) fail();
    skip_space();
    if (!rest_.empty()) fail();
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

  bool at(std::string_view word) {
    skip_space();
    return rest_.starts_with(word);
  }

  bool accept(std::string_view word) {
    const bool found = at(word);
    if (found) rest_.remove_prefix(word.size());
    return found;
  }

  void expect(std::string_view word) {
    if (!accept(word)) fail();
  }

  std::string read_string() {
    const std::string_view quote = at("\"") ? "\"" : "'";
    expect(quote);
    const std::size_t size = rest_.find(quote);
    if (size == std::string_view::npos) fail();
    std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size + 1);
    return text;
  }

  void read_value(std::string_view key, NpyHeader& header) {
    if (key == "descr") {
      base::require(!at("["), ErrorCode::data, "{}: an array of records, expected one of numbers", source_);
      header.descr = read_string();
    } else if (key == "fortran_order") {
      header.fortran_order = accept("True");
      if (!header.fortran_order && !accept("False")) fail();
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
    expect("(");
    while (!accept(")")) {
      shape.push_back(read_size());
      if (!accept(",") && !at(")")) fail();
    }
    return shape;
  }

  std::size_t read_size() {
    skip_space();
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
    if (error != std::errc()) fail();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    accept("L");  // Python 2 wrote its long integers so
    return size;
  }

  std::string_view rest_;
  const std::string& source_;
  bool has_order_ = false;
  bool has_shape_ = false;
};

/// NumPy keeps text as code points of four bytes, filled up with zeros to the longest.
using CodePoints = std::u32string;

/// Up to the zeros at its end.
std::string text_at(std::string_view bytes) {
  std::string text;
  std::size_t size = bytes.find_last_not_of('\0');
  size = size == std::string_view::npos ? 0 : size + 1;
  for (std::size_t at = 0; at < size; at += sizeof(char32_t)) {
    char32_t point = 0;
    std::memcpy(&point, bytes.data() + at, sizeof point);
    constexpr char32_t not_a_character = 0x110000U;
    boost::locale::utf::utf_traits<char>::encode(std::min(point, not_a_character), std::back_inserter(text));
  }
  return text;
}

/// Code points per text of "<U12"; nothing for another type.
std::optional<std::size_t> text_size(std::string_view descr) {
  constexpr std::size_t longest_text = std::size_t{1} << 20;
  if (!descr.starts_with("<U")) return std::nullopt;
  const auto size = base::parse_double(descr.substr(2));
  if (!size || !(*size >= 1 && *size <= longest_text)) return std::nullopt;
  return static_cast<std::size_t>(*size);
}

}  // namespace

bool is_npy(std::string_view bytes) {
  return bytes.starts_with(magic);
}

NpyHeader parse_npy_header(std::string_view bytes, const std::string& source) {
  base::require(is_npy(bytes), ErrorCode::data, "{}: not a NumPy array: it does not start with \\x93NUMPY", source);
  const auto truncated = [&] {
    base::fail(ErrorCode::data, "{}: the NumPy array is truncated within its header", source);
  };
  if (bytes.size() < magic.size() + 2) truncated();
  const int version = static_cast<unsigned char>(bytes[magic.size()]);
  base::require(version >= 1 && version <= 3, ErrorCode::data, "{}: version {} of the NumPy format, expected 1, 2 or 3",
                source, version);
  const std::size_t length_at = magic.size() + 2;
  const std::size_t length_size = version == 1 ? 2 : 4;
  if (bytes.size() < length_at + length_size) truncated();
  const std::size_t length = read_unsigned(bytes.substr(length_at, length_size));
  const std::size_t text_at = length_at + length_size;
  if (length > bytes.size() - text_at) truncated();
  NpyHeader header = HeaderReader(bytes.substr(text_at, length), source).read();
  header.values_at = text_at + length;
  return header;
}

NpyLayout read_npy_layout(std::string_view start, std::size_t file_size, const std::string& source, NpyRest rest) {
  NpyHeader header = parse_npy_header(start, source);
  const ItemType& type = item_type(header.descr, source);
  const std::optional<std::size_t> count = count_values(header.shape, type.size);
  const std::size_t content_size = file_size - header.values_at;
  base::require(count.has_value(), ErrorCode::data, "{}: the shape {} is too large", source, shape_text(header.shape));
  const bool may_go_on = rest == NpyRest::another_array && content_size > *count * type.size;
  base::require(may_go_on || content_size == *count * type.size, ErrorCode::data,
                "{}: {} bytes of values, expected {} for the shape {}", source, content_size, *count * type.size,
                shape_text(header.shape));
  return {std::move(header), *count, type.size, type.convert};
}

std::string npy_header(const std::vector<std::size_t>& shape, std::string_view descr, std::size_t least_size) {
  constexpr std::size_t alignment = 64;
  constexpr std::size_t prefix_size = magic.size() + 4;  // version and length
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr,
                                 fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  const std::size_t used = prefix_size + text.size() + 1;
  const std::size_t size = (std::max(used, least_size) + alignment - 1) / alignment * alignment;
  text.append(size - used, ' ');
  text += '\n';
  base::require(text.size() <= std::numeric_limits<std::uint16_t>::max(), ErrorCode::usage,
                "a NumPy array of rank {} is too much", shape.size());
  const auto length = static_cast<std::uint16_t>(text.size());
  std::string header(magic);
  header += {'\x01', '\x00', static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};
  return header + text;
}

void write_npy(const std::filesystem::path& path, const NpyArray& array) {
  base::OutputFile file(path);
  file.write(npy_header(array.shape));
  file.write({reinterpret_cast<const char*>(array.values.data()), array.values.size() * sizeof(double)});
  file.commit();
}

std::string npy_texts(const std::vector<std::string>& names) {
  std::vector<CodePoints> texts(names.size());
  std::ranges::transform(names, texts.begin(),
                         [](const std::string& name) { return boost::locale::conv::utf_to_utf<char32_t>(name); });
  std::size_t longest = 1;
  for (const CodePoints& text : texts) longest = std::max(longest, text.size());
  std::string bytes = npy_header({names.size()}, fmt::format("<U{}", longest));
  for (CodePoints& text : texts) {
    text.resize(longest, U'\0');
    bytes.append(reinterpret_cast<const char*>(text.data()), longest * sizeof(char32_t));
  }
  return bytes;
}

std::vector<std::string> take_npy_texts(std::string_view& bytes, std::size_t cols, std::string_view what,
                                        const std::string& source) {
  const auto refuse = [&] {
    base::fail(ErrorCode::data, "{}: {} bytes behind the values that are no {}s of {} columns", source, bytes.size(),
               what, cols);
  };
  if (!is_npy(bytes)) refuse();
  const NpyHeader header = parse_npy_header(bytes, source);
  const std::optional<std::size_t> longest = text_size(header.descr);
  if (!longest || header.shape.size() != 1) refuse();
  base::require(header.shape[0] == cols, ErrorCode::data, "{}: {} {}s for {} columns", source, header.shape[0], what,
                cols);
  const std::size_t text_bytes = *longest * sizeof(char32_t);
  if ((bytes.size() - header.values_at) / text_bytes < cols) refuse();
  std::vector<std::string> texts;
  for (std::size_t col = 0; col < cols; ++col) {
    texts.push_back(text_at(bytes.substr(header.values_at + col * text_bytes, text_bytes)));
  }
  bytes.remove_prefix(header.values_at + cols * text_bytes);
  return texts;
}

void check_column_names(const std::vector<std::string>& names, const std::string& source) {
  for (const std::string& name : names) {
    base::require(base::is_utf8(name) && !has_control_character(name), ErrorCode::data,
                  "{}: the name {} of a column is no text", source, base::quoted(name));
  }
  if (const auto twins = first_duplicate(names)) {
    base::fail(ErrorCode::data, "{}: columns {} and {} are both named {}, expected different names", source,
               twins->first, twins->second, base::quoted(names[twins->first]));
  }
}

}  // namespace credens::data
