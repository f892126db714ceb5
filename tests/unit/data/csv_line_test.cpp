// SPDX-License-Identifier: Apache-2.0

#include "data/csv_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "data/dialect.hpp"
#include "support/error_matchers.hpp"

namespace credens::data {
namespace {

using testing::ElementsAre;

std::vector<std::string> cut(std::string_view line, char delimiter) {
  std::vector<std::string> texts;
  LineFields fields(line, delimiter);
  for (Field field; fields.next(field);) texts.push_back(unescaped(field));
  return texts;
}

std::string_view last_fault(std::string_view line, char delimiter = ',') {
  LineFields fields(line, delimiter);
  Field field;
  while (fields.next(field)) {
  }
  return field.fault;
}

TEST(LineFields, AreSeparatedByDelimiters) {
  EXPECT_THAT(cut("a,b,c", ','), ElementsAre("a", "b", "c"));
  EXPECT_THAT(cut("a;b,c", ';'), ElementsAre("a", "b,c"));
  EXPECT_THAT(cut("a\tb c\td", '\t'), ElementsAre("a", "b c", "d"));
}

TEST(LineFields, MayBeEmpty) {
  EXPECT_THAT(cut(",a,,b,", ','), ElementsAre("", "a", "", "b", ""));
  EXPECT_THAT(cut("\t", '\t'), ElementsAre("", ""));
  EXPECT_THAT(cut("", ','), ElementsAre(""));
}

TEST(LineFields, HaveNoSurroundingBlanks) {
  EXPECT_THAT(cut("  a , b\t, c d ", ','), ElementsAre("a", "b", "c d"));
  EXPECT_THAT(cut(" a \t b ", '\t'), ElementsAre("a", "b"));
}

TEST(LineFields, AreSeparatedByRunsOfBlanks) {
  EXPECT_THAT(cut("  1   2\t3 \t 4  ", ' '), ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(cut("1", ' '), ElementsAre("1"));
  EXPECT_THAT(cut("   ", ' '), ElementsAre());
}

TEST(LineFields, MayBeQuoted) {
  EXPECT_THAT(cut(R"("a,b", "c" ,"")", ','), ElementsAre("a,b", "c", ""));
  EXPECT_THAT(cut(R"("my age" b "c")", ' '), ElementsAre("my age", "b", "c"));
  EXPECT_THAT(cut(R"(" a ",b)", ','), ElementsAre("a", "b"));
}

TEST(LineFields, WriteQuotesTwiceWithinQuotes) {
  EXPECT_THAT(cut(R"("5"" pipe","""","""""")", ','), ElementsAre("5\" pipe", "\"", "\"\""));
}

TEST(LineFields, KeepQuotesThatDoNotStartAField) {
  EXPECT_THAT(cut(R"(5" pipe,b""c)", ','), ElementsAre("5\" pipe", "b\"\"c"));
}

TEST(LineFields, TellAQuoteThatIsNotClosed) {
  EXPECT_EQ(last_fault(R"(a,"b)"), "the quote is not closed on its line");
  EXPECT_EQ(last_fault(R"(a,"b"")"), "the quote is not closed on its line");
  EXPECT_EQ(last_fault(R"(")"), "the quote is not closed on its line");
  EXPECT_EQ(last_fault(R"(a,"b")"), "");
}

TEST(LineFields, TellTextAfterAQuote) {
  EXPECT_EQ(last_fault(R"(a,"b"c,d)"), "text after the closing quote, expected a delimiter");
  EXPECT_EQ(last_fault(R"("a"b c)", ' '), "text after the closing quote, expected a delimiter");
  EXPECT_EQ(last_fault(R"("a" b)", ' '), "");
}

TEST(TakeLine, EndsInLfOrCrlf) {
  std::string_view text = "a\nb\r\n\nc";
  EXPECT_EQ(take_line(text), "a");
  EXPECT_EQ(take_line(text), "b");
  EXPECT_EQ(take_line(text), "");
  EXPECT_EQ(take_line(text), "c");
  EXPECT_TRUE(text.empty());
}

TEST(BlankLine, HoldsBlanksOnly) {
  EXPECT_TRUE(is_blank_line("", ','));
  EXPECT_TRUE(is_blank_line(" \t ", ','));
  EXPECT_FALSE(is_blank_line(" , ", ','));
  EXPECT_FALSE(is_blank_line("\t", '\t'));  // two empty cells
}

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
                    Case{"1,000.5", CellKind::grouped}, Case{"1,2,3", CellKind::text}, Case{"abc", CellKind::text},
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

TEST(Header, IsDoubtfulWithWordsAmongNumbersAboveNumbers) {
  const auto is_doubtful = [](std::string_view text, const TableFormat& format = {}) {
    return recognise_dialect(text, format).header_doubtful;
  };
  EXPECT_TRUE(is_doubtful("1,2x,3\n4,5,6\n7,NA,9\n"));
  EXPECT_TRUE(is_doubtful("id;2019;2020\n7;1,5;2\n"));
  EXPECT_FALSE(is_doubtful("a,b,c\n4,5,6\n"));
  EXPECT_FALSE(is_doubtful("1,2x,3\n4,five,6\n")) << "a column of words";
  EXPECT_FALSE(is_doubtful("country,2019\nDE,1\n"));
  EXPECT_FALSE(is_doubtful("a,1\nm,mm\n1,2\n")) << "units below";
  EXPECT_FALSE(is_doubtful("1,2x\n"));
  EXPECT_FALSE(is_doubtful("1,2x,3\n4,5,6\n", {.header = true}));
  EXPECT_FALSE(is_doubtful("1,2x,3\n4,5,6\n", {.header = false}));
  EXPECT_FALSE(is_doubtful("1,2x,3\n4,5,6\n", {.unit_line = true}));
}

TEST(Header, MayBeGiven) {
  EXPECT_TRUE(recognise_dialect("1,2\n3,4\n", {.header = true}).header);
  EXPECT_FALSE(recognise_dialect("a,b\n3,4\n", {.header = false}).header);
}

/// How many characters are taken, and the value.
struct Taken {
  std::size_t size = 0;
  double value = 0;
};

Taken take(const std::string& cell, const std::string& after = "\n") {
  const std::string text = cell + after + std::string(20, '9');
  Taken taken;
  const char* const last = text.data() + cell.size();
  taken.size = static_cast<std::size_t>(read_short_decimal(text.data(), last, text.data() + text.size(), taken.value) -
                                        text.data());
  return taken;
}

TEST(ShortDecimal, IsReadUpToItsEnd) {
  for (const auto& [text, value] : std::vector<std::pair<std::string, double>>{{"0", 0},
                                                                               {"7", 7},
                                                                               {"-1.5", -1.5},
                                                                               {"0.1", 0.1},
                                                                               {".25", 0.25},
                                                                               {"3.", 3},
                                                                               {"1234567.7654321", 1234567.7654321}}) {
    EXPECT_EQ(take(text).size, text.size()) << text;
    EXPECT_EQ(take(text).value, value) << text;
    EXPECT_EQ(take(text, ",").size, text.size()) << text;
  }
  EXPECT_TRUE(std::signbit(take("-0").value));
}

TEST(ShortDecimal, LeavesEverythingElseToOthers) {
  for (const std::string text :
       {"", "-", ".", "-.", "+1", "1e5", "1.5E-3", "12345678", "0.12345678", "--1", "nan", "x"}) {
    EXPECT_EQ(take(text).size, 0U) << text;
  }
}

TEST(ShortDecimal, EndsAtWhatIsNoDigit) {
  for (const char c : std::string("/:;,. \t\r\n\"x\x80\xb0\xb5\xba\xff")) {
    EXPECT_EQ(take("12.5" + std::string(1, c)).size, 4U) << c;
  }
}

TEST(ShortDecimal, DoesNotLookBeyondWhatIsReadable) {
  const std::string text = "1.5,2.5\n";
  double value = 0;
  EXPECT_EQ(read_short_decimal(text.data(), text.data() + 7, text.data() + 8, value), text.data());
}

RC_GTEST_PROP(ShortDecimal, IsTheNearestDouble, ()) {
  const auto whole = *rc::gen::inRange<std::uint32_t>(0, 10000000);
  const auto fraction = *rc::gen::inRange<std::uint32_t>(0, 10000000);
  const auto places = *rc::gen::inRange<std::size_t>(0, 8);
  std::string text = (*rc::gen::arbitrary<bool>() ? "-" : "") + std::to_string(whole) + ".";
  text += ("0000000" + std::to_string(fraction)).substr(std::to_string(fraction).size(), places);
  double expected = 0;
  RC_ASSERT(read_number(text.data(), text.data() + text.size(), expected) == text.data() + text.size());
  const Taken taken = take(text, *rc::gen::element<std::string>(",", "\n", " ", "\r\n"));
  RC_ASSERT(taken.size == text.size());
  RC_ASSERT(std::bit_cast<std::uint64_t>(taken.value) == std::bit_cast<std::uint64_t>(expected));
}

TEST(IsMissing, KnowsTheUsualWordsInAnyCaseAndThoseGiven) {
  const std::vector<std::string> more = {"-999", "Not known"};
  for (const char* text :
       {"", "NA", "na", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", "none", "?", "-999", "Not known"}) {
    EXPECT_TRUE(is_missing(text, more)) << text;
  }
  for (const char* text : {"n", "no", "nah", "nine", "??", "#", "0", "-99", "not known", "nano", "N/A?", "red"}) {
    EXPECT_FALSE(is_missing(text, more)) << text;
  }
}

}  // namespace
}  // namespace credens::data
