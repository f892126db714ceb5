// SPDX-License-Identifier: Apache-2.0

#include "store/checksum.hpp"

#include <gtest/gtest.h>

namespace credens::store {
namespace {

// Recorded from libxxhash 0.8.1: XXH3_128bits of the text with zeros for digits, in canonical form.
TEST(Checksum, IsTheCanonicalXxh3OfTheTextWithZeros) {
  const std::string digits = "ffffffffffffffffffffffffffffffff";
  EXPECT_EQ(checksum(digits, 0), "10dc5f6521479318b457ce9221e6cef4");
  EXPECT_EQ(checksum("credens " + digits + " model", 8), "58a04759e978b61ba616c17726db9a0d");
}

TEST(Checksum, DoesNotDependOnItsOwnDigits) {
  std::string bytes = "head" + std::string(checksum_digits, '0') + "tail";
  const std::string zeroed = checksum(bytes, 4);
  bytes.replace(4, checksum_digits, zeroed);
  EXPECT_EQ(checksum(bytes, 4), zeroed);
}

TEST(Checksum, DependsOnEveryOtherByte) {
  const std::string bytes(100, 'x');
  const std::string expected = checksum(bytes, 10);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (at >= 10 && at < 10 + checksum_digits) continue;
    std::string changed = bytes;
    changed[at] = 'y';
    EXPECT_NE(checksum(changed, 10), expected) << at;
  }
}

}  // namespace
}  // namespace credens::store
