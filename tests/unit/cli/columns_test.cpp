// SPDX-License-Identifier: Apache-2.0

#include "cli/columns.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace credens::cli {
namespace {

using testing::ElementsAre;

TEST(ParseColumns, SplitsAtCommasOutsideOfQuotes) {
  EXPECT_THAT(parse_columns("a"), ElementsAre("a"));
  EXPECT_THAT(parse_columns("a, b,-1"), ElementsAre("a", "b", "-1"));
  EXPECT_THAT(parse_columns("\"strength, MPa\",b"), ElementsAre("strength, MPa", "b"));
  EXPECT_THAT(parse_columns("\"5\"\" pipe\""), ElementsAre("5\" pipe"));
}

TEST(ParseColumns, RefusesEmptyNamesAndBrokenQuotes) {
  for (const char* text : {"", "a,", ",a", "a,,b", "\"\"", "\"a", "\"a\"b"})
    EXPECT_THROW(parse_columns(text), Error) << text;
}

RC_GTEST_PROP(ParseColumns, UndoesColumnsText, ()) {
  const auto letters = rc::gen::elementOf(std::string("ab ,\";"));
  const auto names = rc::gen::nonEmpty(
      rc::gen::container<std::vector<std::string>>(rc::gen::nonEmpty(rc::gen::container<std::string>(letters))));
  const std::vector<std::string> columns = *names;
  RC_ASSERT(parse_columns(columns_text(columns)) == columns);
}

TEST(ParseDelimiter, KnowsWordsForInvisibleCharacters) {
  EXPECT_EQ(parse_delimiter(","), ',');
  EXPECT_EQ(parse_delimiter("tab"), '\t');
  EXPECT_EQ(parse_delimiter("blank"), ' ');
  for (const char delimiter : {',', ';', '\t', ' '}) EXPECT_EQ(parse_delimiter(delimiter_text(delimiter)), delimiter);
  EXPECT_THROW(parse_delimiter("|"), Error);
}

}  // namespace
}  // namespace credens::cli
