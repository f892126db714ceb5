// SPDX-License-Identifier: Apache-2.0

#include "store/checksum.hpp"

#include <cassert>

#include "base/content_hash.hpp"

namespace credens::store {

std::string checksum(std::string_view bytes, std::size_t at) {
  assert(at + checksum_digits <= bytes.size());
  base::ContentHash hash;
  hash.add(bytes.substr(0, at));
  hash.add(std::string(checksum_digits, '0'));
  hash.add(bytes.substr(at + checksum_digits));
  return hash.digits();
}

}  // namespace credens::store
