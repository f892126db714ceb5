// SPDX-License-Identifier: Apache-2.0

#include "data/csv_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace credens::data {
namespace {

using testing::ElementsAre;

std::vector<std::string> cut(std::string_view line, char delimiter) {
  std::vector<std::string> texts;
  LineFields fields(line, delimiter);
  for (Field field; fields.next(field);) texts.push_back(unescaped(field));
  return texts;
}

QuoteFault last_fault(std::string_view line, char delimiter = ',') {
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
  EXPECT_EQ(last_fault(R"(a,"b)"), QuoteFault::unclosed);
  EXPECT_EQ(last_fault(R"(a,"b"")"), QuoteFault::unclosed);
  EXPECT_EQ(last_fault(R"(")"), QuoteFault::unclosed);
  EXPECT_EQ(last_fault(R"(a,"b")"), QuoteFault::none);
}

TEST(LineFields, TellTextAfterAQuote) {
  EXPECT_EQ(last_fault(R"(a,"b"c,d)"), QuoteFault::text_after);
  EXPECT_EQ(last_fault(R"("a"b c)", ' '), QuoteFault::text_after);
  EXPECT_EQ(last_fault(R"("a" b)", ' '), QuoteFault::none);
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

}  // namespace
}  // namespace credens::data
