// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/row_source.hpp"
#include "data/table.hpp"
#include "support/error_matchers.hpp"
#include "support/tables.hpp"

namespace credens::data {
namespace {

using test::parse_csv;
using testing::ElementsAre;
using testing::IsEmpty;

const std::string text = "a,b,w,s,y,z\n1,2,1,0.5,10,20\n3,4,0,0.25,30,40\n";

Dataset make(const DatasetOptions& options, const std::string& csv = text) {
  return make_dataset(parse_csv(csv, "t.csv"), options);
}

Matrix copy(MatrixView view) {
  Matrix result(view.rows(), view.cols());
  for (std::size_t row = 0; row < view.rows(); ++row) std::ranges::copy(view.row(row), result.row(row).begin());
  return result;
}

auto Refused(ErrorCode code, const std::string& words) {
  return test::Fails(code, "t.csv: ", words);
}

TEST(MakeDataset, TakesEveryOtherColumnAsInput) {
  const Dataset data = make({.targets = {"y"}});
  EXPECT_THAT(data.input_names(), ElementsAre("a", "b", "w", "s", "z"));
  EXPECT_EQ(copy(data.inputs()), Matrix(2, 5, std::vector<double>{1, 2, 1, 0.5, 20, 3, 4, 0, 0.25, 40}));
  EXPECT_EQ(copy(data.targets()), Matrix(2, 1, std::vector<double>{10, 30}));
  EXPECT_THAT(data.target_names(), ElementsAre("y"));
  EXPECT_TRUE(data.weights().empty());
  EXPECT_TRUE(data.noise_std().empty());
}

TEST(MakeDataset, GivesEachColumnItsPart) {
  const Dataset data = make({.targets = {"z", "y"}, .inputs = {"b", "0"}, .weight = "w", .noise_std = {"s"}});
  EXPECT_THAT(data.input_names(), ElementsAre("b", "a"));
  EXPECT_EQ(copy(data.inputs()), Matrix(2, 2, std::vector<double>{2, 1, 4, 3}));
  EXPECT_EQ(copy(data.targets()), Matrix(2, 2, std::vector<double>{20, 10, 40, 30}));
  EXPECT_THAT(data.weights(), ElementsAre(1, 0));
  EXPECT_EQ(copy(data.noise_std()), Matrix(2, 2, std::vector<double>{0.5, 0.5, 0.25, 0.25}));
  EXPECT_EQ(data.weight_name(), "w");
  EXPECT_THAT(data.noise_names(), ElementsAre("s"));
  EXPECT_THAT(data.input_columns(), ElementsAre(1, 0));
  EXPECT_EQ(data.table_columns(), 6U);
}

TEST(MakeDataset, LeavesIgnoredColumnsOut) {
  const Dataset data = make({.targets = {"y"}, .ignore = {"z", "s", "w"}});
  EXPECT_THAT(data.input_names(), ElementsAre("a", "b"));
}

TEST(MakeDataset, IgnoresColumnsOfText) {
  const std::string csv = "name,x,y\nann,1,2\nbob,3,4\n";
  EXPECT_THAT(make({.targets = {"y"}, .ignore = {"name"}}, csv).input_names(), ElementsAre("x"));
  EXPECT_THAT([&] { make({.targets = {"y"}}, csv); },
              test::Fails(ErrorCode::data, "t.csv:2:1 (name): \"ann\" is not a number"));
}

TEST(MakeDataset, ComplainsOfTheFirstRowWhateverThePart) {
  const std::string csv = "x,y,w\n1,2,1\n3,NA,x\nz,4,1\n";
  EXPECT_THAT([&] { make({.targets = {"y"}, .weight = "w"}, csv); },
              test::Fails(ErrorCode::data, "t.csv:3:3 (w): \"x\" is not a number"));
}

TEST(MakeDataset, NamesUnnamedTargets) {
  const std::string csv = "1,2,3\n4,5,6\n";
  EXPECT_THAT(make({.targets = {"-1"}}, csv).target_names(), ElementsAre("y"));
  EXPECT_THAT(make({.targets = {"1", "2"}}, csv).target_names(), ElementsAre("y0", "y1"));
  EXPECT_THAT(make({.targets = {"-1"}}, csv).input_names(), IsEmpty());
}

TEST(MakeDataset, RemembersUnnamedColumnsByIndex) {
  const Dataset data = make({.targets = {"0"}, .weight = "-1", .noise_std = {"-2"}}, "1,2,3,1\n4,5,6,1\n");
  EXPECT_EQ(data.weight_name(), "3");
  EXPECT_THAT(data.noise_names(), ElementsAre("2"));
}

TEST(MakeDataset, TakesOneNoiseColumnPerTarget) {
  const Dataset data = make({.targets = {"y", "z"}, .noise_std = {"s", "b"}});
  EXPECT_EQ(copy(data.noise_std()), Matrix(2, 2, std::vector<double>{0.5, 2, 0.25, 4}));
  const Dataset same = make({.targets = {"y", "z"}, .noise_std = {"s", "s"}});
  EXPECT_EQ(copy(same.noise_std()), Matrix(2, 2, std::vector<double>{0.5, 0.5, 0.25, 0.25}));
}

TEST(MakeDataset, RefusesContradictions) {
  EXPECT_THAT([] { make({}); }, Refused(ErrorCode::usage, "no target, expected at least one column"));
  EXPECT_THAT([] { make({.targets = {"y"}, .inputs = {"a"}, .ignore = {"b"}}); },
              Refused(ErrorCode::usage, "both inputs and ignored columns are given, expected one of them"));
  EXPECT_THAT([] { make({.targets = {"y"}, .inputs = {"y"}}); },
              Refused(ErrorCode::usage, "column \"y\" is both target and input, expected one part per column"));
  EXPECT_THAT([] { make({.targets = {"y"}, .weight = "-2"}); },
              Refused(ErrorCode::usage, "column \"-2\" is both target and weight"));
  EXPECT_THAT([] { make({.targets = {"y"}, .ignore = {"w"}, .weight = "w"}); },
              Refused(ErrorCode::usage, "column \"w\" is both weight and ignored"));
  EXPECT_THAT([] { make({.targets = {"y"}, .weight = "s", .noise_std = {"s"}}); },
              Refused(ErrorCode::usage, "column \"s\" is both weight and noise"));
  EXPECT_THAT(
      [] {
        make({.targets = {"y", "4"}});
      },
      Refused(ErrorCode::usage, "column \"4\" is given twice as target"));
  EXPECT_THAT(
      [] {
        make({.targets = {"y"}, .inputs = {"a", "a"}});
      },
      Refused(ErrorCode::usage, "column \"a\" is given twice as input"));
  EXPECT_THAT(
      [] {
        make({.targets = {"y"}, .ignore = {"a", "b", "w", "s", "z"}});
      },
      Refused(ErrorCode::usage, "no column is left as input"));
  EXPECT_THAT(
      [] {
        make({.targets = {"y", "z"}, .noise_std = {"a", "b", "s"}});
      },
      Refused(ErrorCode::usage, "3 columns of noise for 2 targets, expected one for all or one each"));
}

TEST(MakeDataset, RefusesColumnsThatAreNotThere) {
  EXPECT_THAT([] { make({.targets = {"yy"}}); }, Refused(ErrorCode::data, "no column \"yy\"; did you mean y?"));
  EXPECT_THAT([] { make({.targets = {"6"}}); }, Refused(ErrorCode::data, "no column 6: the table has 6 columns"));
}

TEST(MakeDataset, RefusesBadWeights) {
  EXPECT_THAT(
      [] { make({.targets = {"y"}, .weight = "w"}, "x,w,y\n1,1,2\n1,-0.5,2\n"); },
      test::Fails(ErrorCode::data, "t.csv:3:2 (w): the weight is -0.5, expected a number that is not negative"));
  EXPECT_THAT([] { make({.targets = {"y"}, .weight = "w"}, "x,w,y\n1,0,2\n1,0,2\n"); },
              Refused(ErrorCode::data, "all weights are 0, expected at least one above 0"));
}

TEST(MakeDataset, RefusesBadNoise) {
  EXPECT_THAT([] { make({.targets = {"y"}, .noise_std = {"s"}}, "x,s,y\n1,1,2\n1,0,2\n"); },
              test::Fails(ErrorCode::data, "t.csv:3:2 (s): the noise is 0, expected a number above 0"));
  EXPECT_THAT([] { make({.targets = {"y"}, .noise_std = {"s"}}, "x,s,y\n1,-1,2\n"); },
              test::Fails(ErrorCode::data, "t.csv:2:2 (s): the noise is -1"));
}

}  // namespace
}  // namespace credens::data
