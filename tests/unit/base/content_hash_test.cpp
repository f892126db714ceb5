// SPDX-License-Identifier: Apache-2.0

#include "base/content_hash.hpp"

#include <gtest/gtest.h>

namespace credens::base {
namespace {

std::string digits_of(std::initializer_list<std::string_view> pieces) {
  ContentHash hash;
  for (const std::string_view piece : pieces) hash.add(piece);
  return hash.digits();
}

TEST(ContentHash, IsXxh3Of128Bits) {
  EXPECT_EQ(digits_of({}), "99aa06d3014798d86001c324468d497f");  // as xxhsum -H2 prints for an empty file
}

TEST(ContentHash, DoesNotDependOnThePieces) {
  const std::string text(1000, 'x');
  const std::string_view view = text;
  EXPECT_EQ(digits_of({view}), digits_of({view.substr(0, 1), "", view.substr(1, 700), view.substr(701)}));
  EXPECT_NE(digits_of({view}), digits_of({view.substr(1)}));
}

TEST(ContentHash, GoesOnFromACopy) {
  ContentHash hash;
  hash.add("a");
  ContentHash copy = hash;
  copy.add("b");
  EXPECT_EQ(copy.digits(), digits_of({"ab"}));
  EXPECT_EQ(hash.digits(), digits_of({"a"}));
}

}  // namespace
}  // namespace credens::base
