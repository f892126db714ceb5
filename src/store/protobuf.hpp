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
  void add(std::uint32_t field, std::int64_t value);
  void add(std::uint32_t field, std::string_view bytes);  ///< text or raw values
  void add(std::uint32_t field, const ProtobufMessage& message) { add(field, std::string_view(message.bytes_)); }

  const std::string& bytes() const { return bytes_; }

 private:
  void append_varint(std::uint64_t value);

  std::string bytes_;
};

}  // namespace credens::store
