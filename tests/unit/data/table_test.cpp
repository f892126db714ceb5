// SPDX-License-Identifier: Apache-2.0

#include "data/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_matchers.hpp"

namespace credens::data {
namespace {

const std::string named_text = "age,height,2,y\n1,2,3,4\n5,6,7,8\n";
const std::string unnamed_text = "1,2,3,4\n5,6,7,8\n";

Table named() {
  return parse_csv(named_text, "t.csv");
}
Table unnamed() {
  return parse_csv(unnamed_text, "t.csv");
}

Matrix matrix(std::size_t rows, std::size_t cols, std::vector<double> values) {
  return {rows, cols, std::move(values)};
}

TEST(FindColumn, KnowsNames) {
  EXPECT_EQ(find_column(named(), "height"), 1U);
  EXPECT_EQ(find_column(named(), "y"), 3U);
}

TEST(FindColumn, KnowsIndicesFromBothEnds) {
  for (const Table& table : {named(), unnamed()}) {
    EXPECT_EQ(find_column(table, "0"), 0U);
    EXPECT_EQ(find_column(table, "3"), 3U);
    EXPECT_EQ(find_column(table, "-1"), 3U);
    EXPECT_EQ(find_column(table, "-4"), 0U);
  }
}

TEST(FindColumn, PrefersNames) {
  const Table table = parse_csv("a,0\n1,2\n", "t.csv", {.header = true});
  EXPECT_EQ(find_column(table, "0"), 1U);
}

TEST(FindColumn, SuggestsTheNearestName) {
  EXPECT_THAT([] { find_column(named(), "hieght"); },
              test::Fails(ErrorCode::data, "t.csv: no column \"hieght\"; did you mean height?"));
  EXPECT_THAT([] { find_column(named(), "zzzzz"); }, test::Fails(ErrorCode::data, "t.csv: no column \"zzzzz\""));
}

TEST(FindColumn, SaysHowManyColumnsThereAre) {
  EXPECT_THAT([] { find_column(unnamed(), "4"); },
              test::Fails(ErrorCode::data, "t.csv: no column 4: the table has 4 columns"));
  EXPECT_THAT([] { find_column(unnamed(), "-5"); },
              test::Fails(ErrorCode::data, "t.csv: no column -5: the table has 4 columns"));
  EXPECT_THAT([] { find_column(unnamed(), "99999999999999999999"); }, test::Fails(ErrorCode::data, "t.csv: no column"));
}

TEST(FindColumn, SaysThatThereAreNoNames) {
  EXPECT_THAT([] { find_column(unnamed(), "age"); },
              test::Fails(ErrorCode::data, "t.csv: no column \"age\": the table has no header, expected an index"));
}

TEST(SelectColumns, TakesThemInOrder) {
  const std::vector<std::string> columns = {"y", "0", "y"};
  EXPECT_EQ(select_columns(named(), columns), matrix(2, 3, {4, 1, 4, 8, 5, 8}));
}

TEST(SelectColumns, RefusesOnesThatHoldNoNumbers) {
  const Table table = parse_csv("a,b,c\n1,x,\n2,3,4\n", "t.csv");
  const std::vector<std::string> columns = {"c", "b"};
  EXPECT_THAT([&] { select_columns(table, columns); }, test::Fails(ErrorCode::data, "t.csv:2:3 (c): missing value"));
}

TEST(PlaceOf, CountsFromZeroInArrays) {
  EXPECT_EQ(place_of({.source = "a.npy", .values = Matrix(2, 2)}, 1, 0), "a.npy: row 1, column 0 (counted from 0)");
  EXPECT_EQ(place_of(named(), 1, 0), "t.csv:3:1 (age)");
}

/// Trained on columns height and age of a table of four columns.
const InputLayout named_layout = {
    .input_names = {"height", "age"}, .inputs = 2, .positions = {1, 0}, .training_cols = 4};
const InputLayout unnamed_layout = {.inputs = 2, .positions = {1, 0}, .training_cols = 4};

TEST(SelectInputs, FindsThemByName) {
  EXPECT_EQ(select_inputs(named(), named_layout), matrix(2, 2, {2, 1, 6, 5}));
  const Table wide = parse_csv("e,age,d,c,height\n9,1,9,9,2\n", "t.csv");
  EXPECT_EQ(select_inputs(wide, named_layout), matrix(1, 2, {2, 1}));
}

TEST(SelectInputs, DoesNotMindOtherColumns) {
  const Table table = parse_csv("name,age,height,y\nann,1,2,\nbob,5,6,NA\n", "t.csv");
  EXPECT_EQ(select_inputs(table, named_layout), matrix(2, 2, {2, 1, 6, 5}));
}

TEST(SelectInputs, NamesTheOneThatIsMissing) {
  const Table table = parse_csv("age,hight,y\n1,2,3\n", "t.csv");
  EXPECT_THAT([&] { select_inputs(table, named_layout); },
              test::Fails(ErrorCode::data, "t.csv: no column \"height\", an input of the model; did you mean hight?"));
}

TEST(SelectInputs, RefusesInputsThatAreNoNumbers) {
  const Table table = parse_csv("age,height\n1,2\nx,3\n", "t.csv");
  EXPECT_THAT([&] { select_inputs(table, named_layout); },
              test::Fails(ErrorCode::data, "t.csv:3:1 (age): \"x\" is not a number"));
  const Table no_names = parse_csv("1,2\nNA,3\n", "t.csv");
  EXPECT_THAT([&] { select_inputs(no_names, named_layout); }, test::Fails(ErrorCode::data, "t.csv:2:1: missing value"));
}

TEST(SelectInputs, TakesAllColumnsWhereTheyAreTheInputs) {
  const Table table = parse_csv("1,2\n3,4\n", "t.csv");
  EXPECT_EQ(select_inputs(table, named_layout), matrix(2, 2, {1, 2, 3, 4}));
  EXPECT_EQ(select_inputs(table, unnamed_layout), matrix(2, 2, {1, 2, 3, 4}));
}

TEST(SelectInputs, TakesTheLayoutOfTraining) {
  EXPECT_EQ(select_inputs(unnamed(), named_layout), matrix(2, 2, {2, 1, 6, 5}));
  EXPECT_EQ(select_inputs(unnamed(), unnamed_layout), matrix(2, 2, {2, 1, 6, 5}));
  EXPECT_EQ(select_inputs(named(), unnamed_layout), matrix(2, 2, {2, 1, 6, 5}));
}

TEST(SelectInputs, RefusesTablesThatAreNeither) {
  const Table table = parse_csv("1,2,3\n", "t.csv");
  EXPECT_THAT([&] { select_inputs(table, unnamed_layout); },
              test::Fails(ErrorCode::data, "t.csv: 3 columns, expected the 2 inputs or the 4 columns of training"));
}

}  // namespace
}  // namespace credens::data
