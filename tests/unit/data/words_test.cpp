// SPDX-License-Identifier: Apache-2.0

#include "data/words.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

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

TEST(WordIndex, AgreesWithAMapForManyWords) {
  WordIndex index;
  std::map<std::string, std::uint32_t> codes;
  for (std::size_t i = 0; i < 30000; ++i) {
    const std::string word = fmt::format("w{}", i * i % 7919);
    const auto code = static_cast<std::uint32_t>(codes.size());
    ASSERT_EQ(index.code_of(word), codes.emplace(word, code).first->second);
  }
  EXPECT_GT(index.words().size(), 3000U);
  for (const auto& [word, code] : codes) EXPECT_EQ(index.words()[code], word);
}

TEST(WordIndex, GivesTheFirstCodeOfAWordThatIsThereTwice) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < 1000; ++i) words.push_back(fmt::format("{}", i % 100));
  WordIndex index(words);
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(index.code_of(words[i]), i);
  EXPECT_EQ(index.code_of("new"), 1000U);
}

TEST(WordIndex, ForgetsManyNewWords) {
  WordIndex index({"red", "green"});
  EXPECT_EQ(index.code_of("blue"), 2U);
  index.forget_new();
  EXPECT_EQ(index.code_of("blue"), 2U);  // few words stay
  for (std::uint32_t i = 0; i < 10'000; ++i) EXPECT_EQ(index.code_of(fmt::format("word {}", i)), 3 + i);
  index.forget_new();
  EXPECT_EQ(index.words(), (std::vector<std::string>{"red", "green"}));
  EXPECT_EQ(index.code_of("word 7"), 2U);
  EXPECT_EQ(index.code_of("green"), 1U);
}

TEST(WordSlots, TellsWordsOfOneHashApart) {
  const std::vector<std::string> words = {"red", "green", "blue"};
  constexpr std::uint32_t last_slot = 15;
  WordSlots slots;
  EXPECT_EQ(slots.find("red", last_slot, words), WordSlots::none);
  for (std::uint32_t code = 0; code < words.size(); ++code) slots.add(last_slot, code);
  for (std::uint32_t code = 0; code < words.size(); ++code) EXPECT_EQ(slots.find(words[code], last_slot, words), code);
  EXPECT_EQ(slots.find("teal", last_slot, words), WordSlots::none);
  EXPECT_EQ(slots.find("red", 0, words), WordSlots::none);
  slots.clear();
  EXPECT_EQ(slots.find("red", last_slot, words), WordSlots::none);
}

TEST(BlockWords, KnowsTheWordsOfTheColumnAndNumbersNewOnesBehindThem) {
  WordIndex column({"red", "green"});
  BlockWords words;
  words.start(column);
  EXPECT_EQ(words.code_of("green", true), 1U);
  EXPECT_EQ(words.code_of("blue", true), 2U);
  EXPECT_EQ(words.code_of("teal", true), 3U);
  EXPECT_EQ(words.code_of("blue", true), 2U);
  EXPECT_EQ(words.new_words(), (std::vector<std::string_view>{"blue", "teal"}));
  column.code_of("teal");
  EXPECT_EQ(words.first_new(), 2U);
  words.start(column);
  EXPECT_EQ(words.code_of("teal", true), 2U);
  EXPECT_TRUE(words.new_words().empty());
}

TEST(BlockWords, KeepsWordsThatWouldNotLast) {
  const WordIndex none;
  BlockWords words;
  words.start(none);
  {
    std::string passing = "a \"quoted\" word";
    EXPECT_EQ(words.code_of(passing, false), 0U);
    passing = "something else..";
  }
  EXPECT_EQ(words.code_of("b", true), 1U);
  EXPECT_EQ(words.code_of("a \"quoted\" word", true), 0U);
  EXPECT_EQ(words.new_words()[0], "a \"quoted\" word");
  words.start(none);
  EXPECT_EQ(words.code_of("b", true), 0U);
}

}  // namespace
}  // namespace credens::data
