// SPDX-License-Identifier: Apache-2.0

#include "data/csv_cell.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace credens::data {
namespace {

struct Case {
  std::string text;
  CellKind kind;
};

class CellKinds : public testing::TestWithParam<Case> {};

TEST_P(CellKinds, AreToldApart) {
  EXPECT_EQ(read_cell(GetParam().text).kind, GetParam().kind) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Cells, CellKinds,
    testing::Values(Case{"1", CellKind::number}, Case{"-1.5e-3", CellKind::number}, Case{"+2", CellKind::number},
                    Case{".5", CellKind::number}, Case{"5.", CellKind::number}, Case{"1E+05", CellKind::number},
                    Case{"1e-999", CellKind::number}, Case{"", CellKind::missing}, Case{"NA", CellKind::missing},
                    Case{"n/a", CellKind::missing}, Case{"NULL", CellKind::missing}, Case{"None", CellKind::missing},
                    Case{"?", CellKind::missing}, Case{"#N/A", CellKind::missing}, Case{"nan", CellKind::not_finite},
                    Case{"-NaN", CellKind::not_finite}, Case{"inf", CellKind::not_finite},
                    Case{"+Infinity", CellKind::not_finite}, Case{"1e999", CellKind::overflow},
                    Case{"-1e309", CellKind::overflow}, Case{"+1e309", CellKind::overflow},
                    Case{"0x1p3", CellKind::hexadecimal}, Case{"-0XFF", CellKind::hexadecimal},
                    Case{"1,5", CellKind::decimal_comma}, Case{"-0,25e3", CellKind::decimal_comma},
                    Case{"1,000.5", CellKind::text}, Case{"1,2,3", CellKind::text}, Case{"abc", CellKind::text},
                    Case{"1 2", CellKind::text}, Case{"1e", CellKind::text}, Case{"--1", CellKind::text},
                    Case{"+-1", CellKind::text}, Case{"+", CellKind::text}, Case{"-", CellKind::text},
                    Case{".", CellKind::text}, Case{"1.2.3", CellKind::text}, Case{"0x", CellKind::text},
                    Case{"nan(1)", CellKind::text}, Case{"1d5", CellKind::text}, Case{"1_000", CellKind::text}));

TEST(ReadCell, ReadsTheNearestDouble) {
  EXPECT_EQ(read_cell("0.1").value, 0.1);
  EXPECT_EQ(read_cell("+1.7976931348623157e308").value, 1.7976931348623157e308);
  EXPECT_EQ(read_cell("5e-324").value, 5e-324);
  EXPECT_EQ(read_cell("9007199254740993").value, 9007199254740992.0);
  EXPECT_TRUE(std::signbit(read_cell("-0").value));
}

TEST(ReadNumber, StopsWhereTheNumberEnds) {
  const std::string text = "1.5,2";
  double value = 0;
  EXPECT_EQ(read_number(text.data(), text.data() + text.size(), value), text.data() + 3);
  EXPECT_EQ(value, 1.5);
}

TEST(Complaint, HasASentenceForEachKind) {
  EXPECT_EQ(complaint(CellKind::text, "abc"), "\"abc\" is not a number");
  EXPECT_EQ(complaint(CellKind::missing, ""), "missing value, expected a number");
  EXPECT_EQ(complaint(CellKind::missing, "NA"), "missing value (\"NA\"), expected a number");
  EXPECT_EQ(complaint(CellKind::not_finite, "inf"), "\"inf\" is not a finite number");
  EXPECT_EQ(complaint(CellKind::overflow, "1e999"), "\"1e999\" is too large for a double");
  EXPECT_EQ(complaint(CellKind::hexadecimal, "0x1"), "\"0x1\" is hexadecimal, expected a decimal number");
  EXPECT_EQ(complaint(CellKind::decimal_comma, "1,5"), "\"1,5\" has a decimal comma, expected a decimal point");
}

}  // namespace
}  // namespace credens::data
