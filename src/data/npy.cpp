// SPDX-License-Identifier: Apache-2.0

#include "data/npy.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "data/compression.hpp"
#include "data/npy_header.hpp"

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

/// From the order in which the first index runs fastest to that in which the last one does.
std::vector<double> to_c_order(const std::vector<double>& values, const std::vector<std::size_t>& shape) {
  std::vector<double> ordered(values.size());
  std::vector<std::size_t> index(shape.size(), 0);
  for (double& value : ordered) {
    std::size_t at = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;) at = at * shape[axis] + index[axis];
    value = values[at];
    for (std::size_t axis = shape.size(); axis-- > 0 && ++index[axis] == shape[axis];) index[axis] = 0;
  }
  return ordered;
}

}  // namespace

bool is_npy(std::string_view bytes) {
  return bytes.starts_with(magic);
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
  return {.shape = std::move(header.shape),
          .fortran_order = header.fortran_order,
          .values_at = header.values_at,
          .count = *count,
          .item_size = type.size,
          .convert = type.convert};
}

NpyArray parse_npy(std::string_view bytes, const std::string& source) {
  NpyLayout layout = read_npy_layout(bytes, bytes.size(), source);
  NpyArray array{.shape = std::move(layout.shape), .values = std::vector<double>(layout.count)};
  layout.convert(bytes.data() + layout.values_at, array.values);
  if (layout.fortran_order && array.shape.size() > 1) array.values = to_c_order(array.values, array.shape);
  return array;
}

NpyArray read_npy(const std::filesystem::path& path) {
  const std::string source = path == "-" ? "standard input" : path.string();
  return parse_npy(decompress(base::read_file(path), source), source);
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

}  // namespace credens::data
