// SPDX-License-Identifier: Apache-2.0

#include "data/match.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "support/error_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace credens::data {
namespace {

using test::Fails;

Dataset read(const test::TemporaryFolder& folder, const std::string& text) {
  std::ofstream(folder / "t.csv", std::ios::binary) << text;
  return Dataset::from_csv(folder / "t.csv", {.targets = {"y"}});
}

class MatchedDataset : public testing::Test {
 protected:
  test::TemporaryFolder folder_;
  Dataset train_ = read(folder_, "x,colour,y\n1,red,1\n2,green,2\n3,red,3\n");
};

TEST_F(MatchedDataset, IsItselfWhereItHasTheModelsInputs) {
  EXPECT_FALSE(matched(train_, train_.schema()));
  const Dataset again = read(folder_, "x,colour,y\n5,red,1\n6,green,2\n");
  EXPECT_FALSE(matched(again, train_.schema()));
}

TEST_F(MatchedDataset, HasTheModelsCodesAndOrder) {
  const Dataset other = read(folder_, "colour,more,x,y\ngreen,0,5,1\nmauve,0,6,2\nred,0,7,3\n,0,8,4\n");
  const auto found = matched(other, train_.schema());
  ASSERT_TRUE(found);
  ASSERT_EQ(found->inputs().cols(), 2U);
  EXPECT_THAT((std::vector{found->inputs()(0, 0), found->inputs()(1, 0)}), testing::ElementsAre(5, 6));
  EXPECT_THAT((std::vector{found->inputs()(0, 1), found->inputs()(1, 1), found->inputs()(2, 1)}),
              testing::ElementsAre(1, 2, 0));
  EXPECT_TRUE(std::isnan(found->inputs()(3, 1)));
  EXPECT_EQ(found->targets()(2, 0), 3);
  EXPECT_FALSE(matched(*found, train_.schema()));
  EXPECT_EQ(select_inputs(other, train_.schema()).values()[0], 5);
}

TEST_F(MatchedDataset, OfTheSameRowsHasTheirFingerprint) {
  const Dataset turned = read(folder_, "y,colour,x\n1,red,1\n2,green,2\n3,red,3\n");
  EXPECT_EQ(matched(turned, train_.schema())->fingerprint(), train_.fingerprint());
}

TEST_F(MatchedDataset, KeepsUnseenWordsUnseen) {
  DatasetParts parts{.inputs = Matrix(2, 2, std::vector<double>{1, 2, 2, 0}), .targets = Matrix(2, 1, 1.0)};
  parts.input_names = {"x", "colour"};
  parts.input_kinds = {ColumnKind::number, ColumnKind::category};
  parts.input_levels = {{}, {"green", "red"}};
  const auto found = matched(Dataset(parts), train_.schema());
  EXPECT_EQ(found->inputs()(0, 1), 2);
  EXPECT_EQ(found->inputs()(1, 1), 1);
}

TEST_F(MatchedDataset, LacksNoInput) {
  const Dataset other = read(folder_, "color,x,y\nred,5,1\ngreen,6,2\n");
  EXPECT_THAT([&] { matched(other, train_.schema()); },
              Fails(ErrorCode::data, "no column \"colour\", an input of the model; did you mean color?"));
  const Dataset numbers = read(folder_, "colour,x,y\nred,red,1\nred,green,2\n");
  EXPECT_THAT([&] { matched(numbers, train_.schema()); },
              Fails(ErrorCode::data, "column \"x\" holds words, in training it held numbers"));
}

TEST_F(MatchedDataset, WithoutNamesLiesAsInTraining) {
  const Dataset train({.inputs = Matrix(2, 2, 1.0), .targets = Matrix(2, 1, 1.0)});
  EXPECT_FALSE(matched(train, train.schema()));
  const Dataset wide({.inputs = Matrix(2, 3, 1.0), .targets = Matrix(2, 1, 1.0)});
  EXPECT_THAT([&] { matched(wide, train.schema()); }, Fails(ErrorCode::data, "3 columns, expected the 2 inputs"));
}

}  // namespace
}  // namespace credens::data
