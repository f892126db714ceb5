// SPDX-License-Identifier: Apache-2.0

#include "data/complete_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "support/error_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace credens::data {
namespace {

TEST(CompleteRows, AreThoseWithAllTheirTargets) {
  const Matrix targets(4, 2, std::vector<double>{1, 2, NAN, 2, 3, NAN, 4, 5});
  EXPECT_THAT(rows_with_targets(targets), testing::ElementsAre(0, 3));
  EXPECT_EQ(left_out_sentence(1, 1), "1 of 1 row without target is left out");
  EXPECT_EQ(left_out_sentence(2, 40), "2 of 40 rows without target are left out");
}

TEST(CompleteRows, KeepTheirWeightsNoiseAndCells) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "t.csv") << "x,w,s,y\n1,1,0.1,10\n2,2,0.2,\n3,3,0.3,30\n";
  const auto source = open_rows(folder / "t.csv", {.targets = {"y"}, .weight = "w", .noise_std = {"s"}});
  RowBlock block;
  ASSERT_TRUE(source->next(block));
  CompleteRows complete;
  complete.take(block);
  EXPECT_EQ(complete.left_out(), 1U);
  ASSERT_EQ(block.rows(), 2U);
  EXPECT_EQ(block.inputs(1, 0), 3);
  EXPECT_EQ(block.targets(1, 0), 30);
  EXPECT_EQ(block.weights[1], 3);
  EXPECT_EQ(block.noise_std(1, 0), 0.3);
  EXPECT_EQ(block.table_row(1), 2U);
  EXPECT_EQ(block.table->values(block.table_row(1), 3), 30);
  EXPECT_EQ(complete.rows(), 3U);
}

TEST(CompleteRows, OfADatasetAreItself) {
  const Dataset all(
      {.inputs = Matrix(2, 1, std::vector<double>{1, 2}), .targets = Matrix(2, 1, std::vector<double>{3, 4})});
  EXPECT_EQ(all.with_targets().fingerprint(), all.fingerprint());
  const Dataset gap(
      {.inputs = Matrix(2, 1, std::vector<double>{1, 2}), .targets = Matrix(2, 1, std::vector<double>{NAN, 4})});
  ASSERT_EQ(gap.with_targets().rows(), 1U);
  EXPECT_EQ(gap.with_targets().inputs()(0, 0), 2);
  const Dataset none(
      {.inputs = Matrix(1, 1, std::vector<double>{1}), .targets = Matrix(1, 1, std::vector<double>{NAN})});
  EXPECT_THAT([&] { none.with_targets(); }, test::Fails(ErrorCode::data, "no row has a target"));
}

}  // namespace
}  // namespace credens::data
