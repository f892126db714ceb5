// SPDX-License-Identifier: Apache-2.0

#include "base/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace credens::base {
namespace {

TEST(RandomStream, DependsOnItsNameAlone) {
  RandomStream a({.seed = 7, .purpose = Purpose::shuffle, .member = 3});
  RandomStream b({.seed = 7, .purpose = Purpose::shuffle, .member = 3});
  RandomStream other({.seed = 7, .purpose = Purpose::shuffle, .member = 4});
  EXPECT_EQ(a.word(), b.word());
  EXPECT_NE(a.word(), other.word());
}

TEST(Permutation, HoldsEveryIndexOnce) {
  RandomStream random({.seed = 1});
  auto order = permutation(100, random);
  std::sort(order.begin(), order.end());
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(order[i], i);
}

}  // namespace
}  // namespace credens::base
