// SPDX-License-Identifier: Apache-2.0

#include "report/table.hpp"

#include <credens/error.hpp>

#include <limits>

#include <gtest/gtest.h>

namespace credens::report {
namespace {

Table small_table() {
  return {.caption = "At the test rows",
          .headings = {"", "classical", "extended"},
          .rows = {{"coverage", "68.0 %", "98.5 %"}, {"größe", "1.25", "10"}}};
}

TEST(TableText, AlignsNamesLeftAndValuesRight) {
  EXPECT_EQ(table_text(small_table()),
            "At the test rows\n"
            "          classical  extended\n"
            "--------  ---------  --------\n"
            "coverage     68.0 %    98.5 %\n"
            "größe          1.25        10\n");
}

TEST(TableText, HasNoBlanksAtTheEndOfALine) {
  EXPECT_EQ(table_text({.headings = {"name", ""}, .rows = {{"a", ""}}}), "name\n----\na\n");
}

TEST(Table, RefusesRowsThatDoNotFit) {
  const Table table = {.caption = "t", .headings = {"a", "b"}, .rows = {{"1"}}};
  EXPECT_THROW(table_text(table), Error);
}

TEST(Percent, HasOneDecimal) {
  EXPECT_EQ(percent(0.9849), "98.5 %");
  EXPECT_EQ(percent(1), "100.0 %");
  EXPECT_EQ(percent(0), "0.0 %");
}

TEST(Fixed, HasNoNegativeZero) {
  EXPECT_EQ(fixed(12.3456, 1), "12.3");
  EXPECT_EQ(fixed(-0.04, 1), "0.0");
  EXPECT_EQ(fixed(-0.06, 1), "-0.1");
  EXPECT_EQ(fixed(-0.4, 0), "0");
}

TEST(Significant, KeepsDigitsNotDecimals) {
  EXPECT_EQ(significant(12.3456), "12.3");
  EXPECT_EQ(significant(-0.000123456), "-0.000123");
  EXPECT_EQ(significant(12345.6), "12346");
  EXPECT_EQ(significant(0), "0.00");
  EXPECT_EQ(significant(2.5, 2), "2.5");
}

TEST(Significant, CountsDigitsAfterRounding) {
  EXPECT_EQ(significant(9.996), "10.0");
}

TEST(Significant, TurnsToExponentsForTheVeryLargeAndSmall) {
  EXPECT_EQ(significant(1.23456e9), "1.23e+09");
  EXPECT_EQ(significant(1.23456e-9), "1.23e-09");
}

TEST(Numbers, ThatAreNotFiniteAreADash) {
  EXPECT_EQ(percent(std::numeric_limits<double>::quiet_NaN()), "–");
  EXPECT_EQ(significant(std::numeric_limits<double>::infinity()), "–");
  EXPECT_EQ(fixed(-std::numeric_limits<double>::infinity(), 1), "–");
}

}  // namespace
}  // namespace credens::report
