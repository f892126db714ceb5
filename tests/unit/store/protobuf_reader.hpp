// SPDX-License-Identifier: Apache-2.0
//
// The fields of a message of protocol buffers, read back.

#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace credens::store {

struct ProtobufField {
  std::uint64_t number = 0;
  std::int64_t value = 0;  ///< of a whole number
  std::string_view bytes;  ///< of anything else
};

/// Fields of a message, which must outlive the views of its bytes.
class ProtobufFields {
 public:
  explicit ProtobufFields(std::string_view message) : rest_(message) {
    while (!rest_.empty()) {
      const std::uint64_t key = varint();
      ProtobufField field{.number = key >> 3};
      if ((key & 7) == 0) {
        field.value = static_cast<std::int64_t>(varint());
      } else if ((key & 7) == 2) {
        const std::uint64_t count = varint();
        if (count > rest_.size()) throw std::runtime_error("a field reaches beyond its message");
        field.bytes = rest_.substr(0, count);
        rest_.remove_prefix(count);
      } else {
        throw std::runtime_error("a field has an unknown type");
      }
      fields_.push_back(field);
    }
  }

  std::vector<ProtobufField> all(std::uint64_t number) const {
    std::vector<ProtobufField> found;
    for (const ProtobufField& field : fields_) {
      if (field.number == number) found.push_back(field);
    }
    return found;
  }

  /// The only one of this number.
  ProtobufField one(std::uint64_t number) const {
    const std::vector<ProtobufField> found = all(number);
    if (found.size() != 1) throw std::runtime_error("a field is missing or repeated");
    return found.front();
  }
  std::string text(std::uint64_t number) const { return std::string(one(number).bytes); }

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      if (rest_.empty() || shift > 63) throw std::runtime_error("a number does not end");
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
  }

  std::string_view rest_;
  std::vector<ProtobufField> fields_;
};

}  // namespace credens::store
