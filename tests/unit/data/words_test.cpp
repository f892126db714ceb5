// SPDX-License-Identifier: Apache-2.0

#include "data/words.hpp"

#include <gtest/gtest.h>

namespace credens::data {
namespace {

TEST(WordIndex, NumbersWordsInTheOrderOfTheirComing) {
  WordIndex index;
  EXPECT_EQ(index.code_of("red"), 0U);
  EXPECT_EQ(index.code_of("green"), 1U);
  EXPECT_EQ(index.code_of("red"), 0U);
  EXPECT_EQ(index.words(), (std::vector<std::string>{"red", "green"}));
}

TEST(WordIndex, GivesUnknownWordsTheNumberOfWordsWhereNoneAreAdded) {
  WordIndex index({"red", "green"}, false);
  EXPECT_EQ(index.code_of("green"), 1U);
  EXPECT_EQ(index.code_of("blue"), 2U);
  EXPECT_EQ(index.code_of("teal"), 2U);
  EXPECT_EQ(index.words().size(), 2U);
}

TEST(BlockWords, KeepsWordsThatWouldNotLast) {
  BlockWords words;
  {
    std::string passing = "a \"quoted\" word";
    EXPECT_EQ(words.code_of(passing, false), 0U);
    passing = "something else..";
  }
  EXPECT_EQ(words.code_of("b", true), 1U);
  EXPECT_EQ(words.code_of("a \"quoted\" word", true), 0U);
  EXPECT_EQ(words.words()[0], "a \"quoted\" word");
  words.clear();
  EXPECT_EQ(words.code_of("b", true), 0U);
}

}  // namespace
}  // namespace credens::data
