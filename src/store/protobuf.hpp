// SPDX-License-Identifier: Apache-2.0
//
// The wire format of protocol buffers, as far as writing takes it. A message is a sequence of fields; a field is a key,
// which holds its number and how its value is stored, and the value: a whole number in groups of seven bits, or bytes
// behind their count.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace credens::store {

class ProtobufMessage {
 public:
  void add(std::uint32_t field, std::int64_t value) {
    append_key(field, varint);
    append_varint(static_cast<std::uint64_t>(value));
  }
  void add(std::uint32_t field, std::string_view bytes) {  ///< text or raw values
    append_key(field, counted_bytes);
    append_varint(bytes.size());
    bytes_ += bytes;
  }
  void add(std::uint32_t field, const ProtobufMessage& message) { add(field, std::string_view(message.bytes_)); }

  const std::string& bytes() const { return bytes_; }

 private:
  enum WireType : std::uint64_t { varint = 0, counted_bytes = 2 };

  void append_key(std::uint32_t field, WireType type) { append_varint((std::uint64_t{field} << 3) | type); }

  /// Seven bits a byte, the lowest first; the eighth bit says that more follow.
  void append_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7F) | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace credens::store
