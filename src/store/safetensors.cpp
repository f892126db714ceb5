// SPDX-License-Identifier: Apache-2.0

#include "store/safetensors.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/bytes.hpp"
#include "base/content_hash.hpp"

namespace credens::store {

namespace {

static_assert(std::endian::native == std::endian::little,
              "values are copied to and from little-endian files as they are");

constexpr std::size_t length_bytes = 8;
constexpr std::size_t alignment = 8;
constexpr std::size_t most_dimensions = 8;
constexpr std::string_view metadata_key = "__metadata__";
constexpr std::string_view checksum_key = "credens_checksum";

std::string_view name_of(Dtype dtype) {
  return dtype == Dtype::f32 ? "F32" : "F64";
}

std::size_t size_of(Dtype dtype) {
  return dtype == Dtype::f32 ? sizeof(float) : sizeof(double);
}

Dtype dtype_of(const Tensor& tensor) {
  return std::holds_alternative<std::vector<float>>(tensor.values) ? Dtype::f32 : Dtype::f64;
}

std::string_view bytes_of(const Tensor& tensor) {
  return std::visit([](const auto& values) { return base::bytes_of(values); }, tensor.values);
}

std::string header_text(const Metadata& metadata, std::span<const Tensor> tensors) {
  Json header;
  for (const auto& [key, value] : metadata) header[metadata_key][key] = value;
  header[metadata_key][checksum_key] = std::string(checksum_digits, '0');
  Json::object_t& entries = header.get_ref<Json::object_t&>();
  entries.reserve(1 + tensors.size());
  std::size_t at = 0;
  for (const Tensor& tensor : tensors) {
    const std::size_t end = at + bytes_of(tensor).size();
    Json entry = {{"dtype", name_of(dtype_of(tensor))}, {"shape", tensor.shape}, {"data_offsets", {at, end}}};
    // Not through operator[], which would compare with every name before.
    entries.push_back(Json::object_t::value_type(tensor.name, std::move(entry)));
    at = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + alignment - 1) / alignment * alignment, ' ');
  return text;
}

/// Position of the checksum's digits in a header. A quote within a JSON string is escaped, so this text can only be
/// the key itself.
std::optional<std::size_t> find_checksum(std::string_view header) {
  const std::string start = fmt::format("\"{}\":\"", checksum_key);
  const std::size_t at = header.find(start);
  if (at == std::string_view::npos || header.size() - at < start.size() + checksum_digits) return std::nullopt;
  return at + start.size();
}

std::uint64_t announced_header(std::string_view bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), length_bytes);
  return length;
}

std::vector<std::uint64_t> wholes(const SortedJson& value, std::string_view field, const std::string& tensor) {
  const bool usable = value.is_array() && std::all_of(value.begin(), value.end(),
                                                      [](const SortedJson& item) { return item.is_number_unsigned(); });
  base::require(usable, ErrorCode::model, "tensor {}: its {} is not a list of whole numbers", base::quoted(tensor),
                field);
  return value.get<std::vector<std::uint64_t>>();
}

struct Extent {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  const std::string* name = nullptr;
};

void check_keys(const SortedJson& entry, const std::string& name) {
  const bool usable = entry.is_object() && entry.size() == 3 && entry.contains("dtype") && entry.contains("shape") &&
                      entry.contains("data_offsets");
  base::require(usable, ErrorCode::model, "tensor {}: expected an object with dtype, shape and data_offsets",
                base::quoted(name));
}

Dtype read_dtype(const SortedJson& entry, const std::string& name) {
  const SortedJson& value = entry["dtype"];
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (text == "F32") return Dtype::f32;
  base::require(text == "F64", ErrorCode::model, "tensor {}: its dtype is {}, expected F32 or F64", base::quoted(name),
                base::quoted(text));
  return Dtype::f64;
}

/// The bytes that a shape needs; throws where that does not fit into 64 bits.
std::uint64_t needed_bytes(Dtype dtype, const std::vector<std::uint64_t>& shape, const std::string& name) {
  base::require(shape.size() <= most_dimensions, ErrorCode::model,
                "tensor {}: it has {} dimensions, at most {} are expected", base::quoted(name), shape.size(),
                most_dimensions);
  std::uint64_t bytes = size_of(dtype);
  for (const std::uint64_t count : shape) {
    base::require(!__builtin_mul_overflow(bytes, count, &bytes), ErrorCode::model,
                  "tensor {}: its shape [{}] overflows", base::quoted(name), fmt::join(shape, ", "));
  }
  return bytes;
}

Extent read_extent(const SortedJson& entry, const std::string& name) {
  const std::vector<std::uint64_t> offsets = wholes(entry["data_offsets"], "data_offsets", name);
  base::require(offsets.size() == 2 && offsets[0] <= offsets[1], ErrorCode::model,
                "tensor {}: its data_offsets are [{}], expected begin and end", base::quoted(name),
                fmt::join(offsets, ", "));
  return {offsets[0], offsets[1], &name};
}

/// Throws unless the tensors lie one after the other and fill the data.
void check_layout(std::vector<Extent> extents, std::uint64_t data_size) {
  std::sort(extents.begin(), extents.end(),
            [](const Extent& a, const Extent& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  std::uint64_t at = 0;
  for (const Extent& extent : extents) {
    base::require(extent.begin >= at, ErrorCode::model, "tensor {} overlaps the one before it",
                  base::quoted(*extent.name));
    base::require(extent.begin == at, ErrorCode::model, "{} unused bytes lie before tensor {}", extent.begin - at,
                  base::quoted(*extent.name));
    at = extent.end;
  }
  base::require(at <= data_size, ErrorCode::model, "truncated: its tensors need {} bytes, {} are there", at, data_size);
  base::require(at == data_size, ErrorCode::model, "{} unused bytes lie after the last tensor", data_size - at);
}

}  // namespace

std::string checksum(std::string_view bytes, std::size_t at) {
  assert(at + checksum_digits <= bytes.size());
  base::ContentHash hash;
  hash.add(bytes.substr(0, at));
  hash.add(std::string(checksum_digits, '0'));
  hash.add(bytes.substr(at + checksum_digits));
  return hash.digits();
}

std::string encode_safetensors(const Metadata& metadata, std::span<const Tensor> tensors) {
  const std::string header = header_text(metadata, tensors);
  base::require(header.size() <= longest_header, ErrorCode::model,
                "the header would have {} bytes, at most {} are allowed", header.size(), longest_header);
  std::size_t size = length_bytes + header.size();
  for (const Tensor& tensor : tensors) size += bytes_of(tensor).size();

  std::string bytes(length_bytes, '\0');
  bytes.reserve(size);
  const std::uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, length_bytes);
  bytes += header;
  for (const Tensor& tensor : tensors) bytes += bytes_of(tensor);

  const std::size_t digits_at = length_bytes + find_checksum(header).value();
  bytes.replace(digits_at, checksum_digits, checksum(bytes, digits_at));
  return bytes;
}

std::string describe(Dtype dtype, const TensorShape& shape) {
  return fmt::format("{} [{}]", name_of(dtype), fmt::join(shape, ", "));
}

void check_frame(std::string_view first_bytes, std::uint64_t size) {
  base::require(size > 0, ErrorCode::model, "the file is empty, expected a safetensors file");
  base::require(size > length_bytes + 1, ErrorCode::model, "truncated: {} bytes are no safetensors file", size);
  const std::uint64_t length = announced_header(first_bytes);
  base::require(first_bytes[length_bytes] == '{' && length >= 2 && length <= longest_header, ErrorCode::model,
                "not a safetensors file: it does not start with the length of a JSON header");
  base::require(length <= size - length_bytes, ErrorCode::model, "truncated: its header has {} bytes, {} are there",
                length, size - length_bytes);
}

SafetensorsReader::SafetensorsReader(std::string_view bytes) : bytes_(bytes) {
  check_frame(bytes, bytes.size());
  header_ = bytes.substr(length_bytes, announced_header(bytes));
  data_ = bytes.substr(length_bytes + header_.size());
  entries_ = parse_json<SortedJson>(header_, "the header", ErrorCode::model,
                                    {.depth = 3, .keys_per_object = JsonLimits{}.values});
  base::require(entries_.is_object(), ErrorCode::model, "the header is not a JSON object");
}

std::optional<std::string> SafetensorsReader::metadata(std::string_view key) const {
  const auto metadata = entries_.find(metadata_key);
  if (metadata == entries_.end() || !metadata->is_object()) return std::nullopt;
  const auto found = metadata->find(key);
  if (found == metadata->end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

TensorMap SafetensorsReader::tensors() const {
  std::vector<Extent> extents;
  TensorMap tensors;
  for (const auto& [name, entry] : entries_.items()) {
    if (name == metadata_key) continue;
    check_keys(entry, name);
    const Dtype dtype = read_dtype(entry, name);
    const std::vector<std::uint64_t> shape = wholes(entry["shape"], "shape", name);
    const auto placed = tensors.emplace(name, TensorView{dtype, {shape.begin(), shape.end()}, {}}).first;
    const Extent extent = read_extent(entry, placed->first);
    const std::uint64_t needed = needed_bytes(dtype, shape, name);
    base::require(extent.end - extent.begin == needed, ErrorCode::model,
                  "tensor {}: {} has {} bytes, its data_offsets hold {}", base::quoted(name),
                  describe(dtype, placed->second.shape), needed, extent.end - extent.begin);
    extents.push_back(extent);
  }
  check_layout(extents, data_.size());
  for (const Extent& extent : extents) {
    tensors.find(*extent.name)->second.bytes = data_.substr(extent.begin, extent.end - extent.begin);
  }
  return tensors;
}

void SafetensorsReader::check_checksum() const {
  const auto stored = metadata(checksum_key);
  const auto at = find_checksum(header_);
  base::require(stored && at && header_.substr(*at, checksum_digits) == *stored, ErrorCode::model,
                "damaged: its metadata has no checksum of {} digits", checksum_digits);
  const std::string actual = checksum(bytes_, length_bytes + *at);
  base::require(actual == *stored, ErrorCode::model, "damaged: checksum {} expected, {} found", *stored, actual);
}

}  // namespace credens::store
