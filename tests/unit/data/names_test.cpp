// SPDX-License-Identifier: Apache-2.0

#include "data/names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace credens::data {
namespace {

using testing::ElementsAre;
using testing::Optional;
using testing::Pair;

TEST(FirstDuplicate, GivesBothPositions) {
  EXPECT_THAT(first_duplicate(std::vector<std::string>{"a", "b", "c", "b", "a"}), Optional(Pair(1, 3)));
  EXPECT_EQ(first_duplicate(std::vector<std::string>{"a", "A", ""}), std::nullopt);
}

TEST(DefaultTargetNames, AreNumberedIfSeveral) {
  EXPECT_THAT(default_target_names(1), ElementsAre("y"));
  EXPECT_THAT(default_target_names(3), ElementsAre("y0", "y1", "y2"));
}

TEST(ControlCharacter, IsNoPartOfANameOnOneLine) {
  EXPECT_TRUE(has_control_character("a\nb"));
  EXPECT_TRUE(has_control_character("\x7f"));
  EXPECT_FALSE(has_control_character("größe 1"));
}

TEST(FieldPlace, NamesTheColumnIfItHasAName) {
  const std::vector<std::string> names = {"", "age"};
  EXPECT_EQ(field_place("t.csv", names, 17, 1), "t.csv:17:2 (age)");
  EXPECT_EQ(field_place("t.csv", names, 17, 0), "t.csv:17:1");
  EXPECT_EQ(field_place("t.csv", {}, 17, 0), "t.csv:17:1");
}

TEST(CountOf, KnowsThePlural) {
  EXPECT_EQ(count_of(1, "field"), "1 field");
  EXPECT_EQ(count_of(0, "field"), "0 fields");
}

}  // namespace
}  // namespace credens::data
