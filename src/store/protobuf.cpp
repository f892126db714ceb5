// SPDX-License-Identifier: Apache-2.0

#include "store/protobuf.hpp"

namespace credens::store {

namespace {

enum WireType : std::uint64_t { varint = 0, counted_bytes = 2 };

constexpr std::uint64_t key(std::uint32_t field, WireType type) {
  return (std::uint64_t{field} << 3) | type;
}

}  // namespace

void ProtobufMessage::add(std::uint32_t field, std::int64_t value) {
  append_varint(key(field, varint));
  append_varint(static_cast<std::uint64_t>(value));
}

void ProtobufMessage::add(std::uint32_t field, std::string_view bytes) {
  append_varint(key(field, counted_bytes));
  append_varint(bytes.size());
  bytes_ += bytes;
}

/// Seven bits a byte, the lowest first; the eighth bit says that more follow.
void ProtobufMessage::append_varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7F) | 0x80);
  bytes_ += static_cast<char>(value);
}

}  // namespace credens::store
