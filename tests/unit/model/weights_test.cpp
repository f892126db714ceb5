// SPDX-License-Identifier: Apache-2.0

#include "model/weights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_matchers.hpp"

namespace credens::model {
namespace {

TEST(RowWeights, AreCheckedOverAllBlocks) {
  RowWeights weights;
  EXPECT_EQ(weights.largest(), 1);
  weights.add(std::vector<double>{0, 0});
  EXPECT_THAT([&] { weights.largest(); }, test::Fails(ErrorCode::data, "weights has the sum 0"));
  weights.add(std::vector<double>{0.5, 4});
  EXPECT_EQ(weights.largest(), 4);
  EXPECT_THAT([&] { weights.add(std::vector<double>{-1}); }, test::Fails(ErrorCode::data, "value 4 is -1"));
}

}  // namespace
}  // namespace credens::model
