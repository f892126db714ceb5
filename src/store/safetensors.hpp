// SPDX-License-Identifier: Apache-2.0
//
// The safetensors container: 8 bytes with the length of the header, little-endian; a JSON header padded with blanks to
// a multiple of 8; the tensors' values without gaps. Ours carries a checksum of itself under the metadata key
// "credens_checksum".
//
// Errors do not name the file; callers that know its path add it (with_path).

#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "store/json.hpp"

namespace credens::store {

constexpr std::size_t checksum_digits = 32;

/// The checksum of a file that contains it: XXH3-128 of `bytes` with the digits at [at, at + checksum_digits) taken for
/// '0', lowercase hexadecimal, as xxhsum prints it.
std::string checksum(std::string_view bytes, std::size_t at);

/// The longest header that is written or read: other readers of safetensors take no longer one either.
constexpr std::size_t longest_header = 100'000'000;

enum class Dtype { f32, f64 };

using TensorShape = std::vector<std::size_t>;

struct Tensor {
  std::string name;
  TensorShape shape;
  std::variant<std::vector<float>, std::vector<double>> values;  ///< row-major
};

/// Ordered keys and values.
using Metadata = std::vector<std::pair<std::string, std::string>>;

/// The bytes of a file with these tensors in this order, and the checksum after the given metadata. Throws model where
/// the header would be too long.
std::string encode_safetensors(const Metadata& metadata, std::span<const Tensor> tensors);

/// A tensor in a file's bytes, which need not be aligned.
struct TensorView {
  Dtype dtype = Dtype::f32;
  TensorShape shape;
  std::string_view bytes;
};

using TensorMap = std::map<std::string, TensorView, std::less<>>;

/// "F32 [3, 4]".
std::string describe(Dtype dtype, const TensorShape& shape);

template <class T>
constexpr Dtype dtype_for = std::is_same_v<T, float> ? Dtype::f32 : Dtype::f64;

/// The values of the tensor with this name, type and shape, which leaves the map. Throws model where it is missing or
/// another one.
template <class T>
std::vector<T> take(TensorMap& tensors, const std::string& name, const TensorShape& shape) {
  const auto found = tensors.find(name);
  base::require(found != tensors.end(), ErrorCode::model, "tensor {} is missing", name);
  const TensorView& tensor = found->second;
  base::require(tensor.dtype == dtype_for<T> && tensor.shape == shape, ErrorCode::model, "tensor {} is {}, expected {}",
                name, describe(tensor.dtype, tensor.shape), describe(dtype_for<T>, shape));
  std::vector<T> values(tensor.bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  tensors.erase(found);
  return values;
}

/// Throws model unless a file of `size` bytes that starts with `first_bytes` (at least 9 of them, or all) can have the
/// header it announces: for a look before the whole file is read.
void check_frame(std::string_view first_bytes, std::uint64_t size);

/// Reads in steps, because a newer format may differ in anything but its metadata. Points into `bytes`.
class SafetensorsReader {
 public:
  explicit SafetensorsReader(std::string_view bytes);  ///< throws model unless the header is JSON

  std::optional<std::string> metadata(std::string_view key) const;
  TensorMap tensors()
      const;  ///< throws model unless they fill the file: known types, shapes that fit, no gap, no overlap
  void check_checksum() const;  ///< throws model where it is missing or wrong

 private:
  std::string_view bytes_;
  std::string_view header_;
  std::string_view data_;
  SortedJson entries_;
};

}  // namespace credens::store
