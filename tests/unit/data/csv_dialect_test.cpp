// SPDX-License-Identifier: Apache-2.0

#include "data/csv_dialect.hpp"

#include <gtest/gtest.h>

#include "support/error_matchers.hpp"

namespace credens::data {
namespace {

char delimiter_of(std::string_view text) {
  return recognise_dialect(text, {}).delimiter;
}
bool has_header(std::string_view text) {
  return recognise_dialect(text, {}).header;
}

TEST(Delimiter, IsTheOneThatCutsLinesAlike) {
  EXPECT_EQ(delimiter_of("a,b\n1,2\n"), ',');
  EXPECT_EQ(delimiter_of("a;b\n1;2\n"), ';');
  EXPECT_EQ(delimiter_of("a\tb\n1\t2\n"), '\t');
  EXPECT_EQ(delimiter_of("a b\n 1   2\n"), ' ');
  EXPECT_EQ(delimiter_of("1, 2, 3\n4, 5, 6\n"), ',');
}

TEST(Delimiter, IsNotMisledByCharactersOfNames) {
  EXPECT_EQ(delimiter_of("mass;in kg,y\n1,2\n3,4\n"), ',');
  EXPECT_EQ(delimiter_of("my age,your age\n1,2\n"), ',');
  EXPECT_EQ(delimiter_of("\"a;b\",\"c;d\"\n1,2\n"), ',');
  EXPECT_EQ(delimiter_of("body mass, kg\ty, m\n1\t2\n"), '\t');
}

TEST(Delimiter, OfDecimalCommasIsTheOther) {
  EXPECT_EQ(delimiter_of("1,5;2,5\n3,5;4,5\n"), ';');
  EXPECT_EQ(delimiter_of("1,5\t2,5\n3,5\t4,5\n"), '\t');
}

TEST(Delimiter, OfASingleColumnIsAComma) {
  EXPECT_EQ(delimiter_of("1\n2\n"), ',');
  EXPECT_EQ(delimiter_of("my target\n1.5\n"), ',');
}

TEST(Delimiter, IsFoundInSpiteOfRaggedLines) {
  EXPECT_EQ(delimiter_of("1;2;3\n4;5\n6;7;8\n"), ';');
  EXPECT_EQ(delimiter_of("a;b\n1\n"), ';');
  EXPECT_EQ(delimiter_of("1 2 3\n4 5\n6 7 8\n"), ' ');
}

TEST(Delimiter, MayBeGiven) {
  EXPECT_EQ(recognise_dialect("1,2\n3,4\n", {.delimiter = ';'}).delimiter, ';');
  EXPECT_THAT(
      [] { recognise_dialect("1|2\n", {.delimiter = '|'}); },
      test::Fails(ErrorCode::usage, "delimiter \"|\" is unknown, expected a comma, a semicolon, a tab or a blank"));
}

TEST(Header, IsALineOfNames) {
  EXPECT_TRUE(has_header("a,b\n1,2\n"));
  EXPECT_TRUE(has_header("a\n1\n"));
  EXPECT_TRUE(has_header(",x,y\n0,1,2\n"));  // an index column
  EXPECT_TRUE(has_header("Na,K\n1,2\n"));
  EXPECT_TRUE(has_header("a,b\n"));
  EXPECT_TRUE(has_header("a,b\nNA,x\n"));
}

TEST(Header, MayNameColumnsByYear) {
  EXPECT_TRUE(has_header("id,2019,2020\n7,1,2\n"));
  EXPECT_FALSE(has_header("2019,2020\n1,2\n"));
}

TEST(Header, IsNoRowOfNumbers) {
  EXPECT_FALSE(has_header("1,2\n3,4\n"));
  EXPECT_FALSE(has_header("\"1\",\"2\"\n3,4\n"));
}

TEST(Header, IsNoRowWithMissingOrUnusableNumbers) {
  EXPECT_FALSE(has_header("1,NA\n3,4\n"));
  EXPECT_FALSE(has_header("nan,inf\n3,4\n"));
  EXPECT_FALSE(has_header("1e999,0x10\n3,4\n"));
  EXPECT_FALSE(has_header("1,5;2,5\n3,5;4,5\n"));
}

TEST(Header, IsNoRowWithASlip) {
  EXPECT_FALSE(has_header("1.5,abc\n2.5,3\n"));
}

TEST(Header, IsNoRowWithTheNameOfASample) {
  EXPECT_FALSE(has_header("alice,1,2\nbob,3,4\n"));
}

TEST(Header, MayBeGiven) {
  EXPECT_TRUE(recognise_dialect("1,2\n3,4\n", {.header = true}).header);
  EXPECT_FALSE(recognise_dialect("a,b\n3,4\n", {.header = false}).header);
}

}  // namespace
}  // namespace credens::data
