// SPDX-License-Identifier: Apache-2.0

#include "base/subnormals.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace credens::base {
namespace {

/// `volatile`, so that the processor computes it and not the compiler.
float half(float value) {
  volatile float operand = value;
  return operand * 0.5F;
}

TEST(FlushSubnormals, TakesThemForZeroWhileItLives) {
  const float smallest = std::numeric_limits<float>::min();
  {
    const FlushSubnormals flush;
    EXPECT_EQ(half(smallest), 0.0F);
    EXPECT_EQ(half(4 * smallest), 2 * smallest);
  }
  EXPECT_GT(half(smallest), 0.0F);
}

TEST(FlushSubnormals, EndsWithTheOuterOne) {
  const FlushSubnormals outer;
  { const FlushSubnormals inner; }
  EXPECT_EQ(half(std::numeric_limits<float>::min()), 0.0F);
}

}  // namespace
}  // namespace credens::base
