// SPDX-License-Identifier: Apache-2.0

#include "report/table.hpp"

#include <credens/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace credens::report {
namespace {

using testing::HasSubstr;
using testing::Not;

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

TEST(TableHtml, NamesRowsAndColumnsForScreenReaders) {
  const std::string html = table_html(small_table());
  EXPECT_THAT(html, HasSubstr("<caption>At the test rows</caption>"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"col\">extended</th>"));
  EXPECT_THAT(html, HasSubstr("<tr><th scope=\"row\">coverage</th><td>68.0 %</td><td>98.5 %</td></tr>"));
}

TEST(TableHtml, ScrollsWithTheKeyboardAndSaysWhatItIs) {
  EXPECT_THAT(table_html(small_table()), HasSubstr("tabindex=\"0\" role=\"group\" aria-label=\"At the test rows\""));
  EXPECT_THAT(table_html({.headings = {"a"}}), HasSubstr("aria-label=\"Table\""));
}

TEST(TableHtml, EscapesEveryCell) {
  const std::string html = table_html({.caption = "<i>", .headings = {"<b>"}, .rows = {{"<s>"}}});
  EXPECT_THAT(html, Not(HasSubstr("<i>")));
  EXPECT_THAT(html, Not(HasSubstr("<b>")));
  EXPECT_THAT(html, Not(HasSubstr("<s>")));
}

TEST(Table, RefusesRowsThatDoNotFit) {
  const Table table = {.caption = "t", .headings = {"a", "b"}, .rows = {{"1"}}};
  EXPECT_THROW(table_text(table), Error);
  EXPECT_THROW(table_html(table), Error);
}

}  // namespace
}  // namespace credens::report
