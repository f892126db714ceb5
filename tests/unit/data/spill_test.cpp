// SPDX-License-Identifier: Apache-2.0

#include "data/spill.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace credens::data {
namespace {

TEST(Spill, GivesBackWhatItTookWhereverThatWas) {
  for (const std::size_t most_held : {0, 1, 7, 1000, 1000000}) {
    Spill spill(most_held);
    std::vector<double> all(300007);
    std::iota(all.begin(), all.end(), 0.5);
    for (std::size_t at = 0, size = 1; at < all.size(); at += size, size = size * 3 % 1009 + 1) {
      size = std::min(size, all.size() - at);
      spill.append(std::span(all).subspan(at, size));
    }
    EXPECT_EQ(spill.count(), all.size());
    for (int again = 0; again < 2; ++again) {
      std::vector<double> found;
      spill.read([&](std::span<const double> piece) { found.insert(found.end(), piece.begin(), piece.end()); });
      EXPECT_EQ(found, all) << most_held;
    }
  }
}

TEST(Spill, OfNothingIsNothing) {
  const Spill spill;
  EXPECT_EQ(spill.count(), 0U);
  spill.read([](std::span<const double> piece) { EXPECT_TRUE(piece.empty()); });
}

}  // namespace
}  // namespace credens::data
