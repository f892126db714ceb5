// SPDX-License-Identifier: Apache-2.0

#include "cli/columns.hpp"

#include <gmock/gmock.h>

namespace credens::cli {
namespace {

using testing::ElementsAre;

DatasetOptions with(std::string_view name, std::string_view text) {
  DatasetOptions options;
  dataset_options().find(name)->set(options, text);
  return options;
}

TEST(DatasetOptionTable, ReadsColumnsWithQuotes) {
  EXPECT_THAT(with("target", "\"strength, MPa\",b").targets, ElementsAre("strength, MPa", "b"));
  EXPECT_EQ(with("weight", "\"a, b\"").weight, "a, b");
  EXPECT_THROW(with("target", ""), Error);
  EXPECT_THROW(with("weight", "a,b"), Error);
}

TEST(DatasetOptionTable, KnowsWordsForInvisibleDelimiters) {
  EXPECT_EQ(with("delimiter", ",").format.delimiter, ',');
  EXPECT_EQ(with("delimiter", "tab").format.delimiter, '\t');
  EXPECT_EQ(with("delimiter", "blank").format.delimiter, ' ');
  for (const char* word : {",", ";", "tab", "blank"}) {
    EXPECT_EQ(base::to_text(dataset_options().find("delimiter")->get(with("delimiter", word))), word);
  }
  EXPECT_THROW(with("delimiter", "|"), Error);
}

TEST(DatasetOptionTable, ReadsYesAndNo) {
  EXPECT_EQ(with("header", "yes").format.header, true);
  EXPECT_EQ(with("header", "no").format.header, false);
  EXPECT_THROW(with("header", "true"), Error);
}

TEST(ColumnsText, QuotesWhereItMust) {
  EXPECT_EQ(columns_text({"a", "b, c", "5\" pipe"}), "a,\"b, c\",\"5\"\" pipe\"");
}

}  // namespace
}  // namespace credens::cli
