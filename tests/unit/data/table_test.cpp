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

}  // namespace
}  // namespace credens::data
