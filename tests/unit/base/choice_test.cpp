// SPDX-License-Identifier: Apache-2.0

#include <credens/choice.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace credens {
namespace {

using testing::ElementsAre;
using List = Choice<std::vector<double>>;

TEST(Choice, IsOpenAtFirstAndThenCannotBeRead) {
  const Choice<int> open;
  EXPECT_FALSE(open.is_given());
  EXPECT_THROW(static_cast<void>(*open), std::logic_error);
  EXPECT_THROW(static_cast<void>(static_cast<const int&>(open)), std::logic_error);
  EXPECT_THROW(static_cast<void>(List()->size()), std::logic_error);
  EXPECT_FALSE(open == 0);
  EXPECT_FALSE(List().is_given());
}

TEST(Choice, ReadsAsItsValueOnceItIsGiven) {
  Choice<int> choice = 3;
  EXPECT_TRUE(choice.is_given());
  EXPECT_EQ(*choice, 3);
  EXPECT_EQ(choice + 1, 4);
  choice = 0;
  EXPECT_TRUE(choice.is_given());
  EXPECT_TRUE(choice == 0);
  const Choice<bool> no = false;
  EXPECT_TRUE(no.is_given());
  EXPECT_FALSE(no);
}

TEST(Choice, OfAListTakesOneItemBracesOrAList) {
  EXPECT_THAT(*List(2.5), ElementsAre(2.5));
  EXPECT_THAT(*List({1, 2}), ElementsAre(1, 2));
  EXPECT_THAT(*List(std::vector<double>{4, 5, 6}), ElementsAre(4, 5, 6));
  List list;
  list = {0};
  EXPECT_THAT(*list, ElementsAre(0));
  list = 7;
  EXPECT_THAT(*list, ElementsAre(7));
  const Choice<std::vector<std::vector<int>>> lists = {{1, 2}, {}};
  EXPECT_THAT(*lists, ElementsAre(ElementsAre(1, 2), ElementsAre()));
}

TEST(Choice, OfListsTakesTheNumbersOfItsOnlyList) {
  using Lists = Choice<std::vector<std::vector<std::size_t>>>;
  struct Options {
    Lists hidden = {};
  };
  EXPECT_THAT((*Options{.hidden = {16, 8}}.hidden), ElementsAre(ElementsAre(16, 8)));
  EXPECT_THAT((*Options{.hidden = {16}}.hidden), ElementsAre(ElementsAre(16)));
  EXPECT_THAT((*Options{.hidden = 16}.hidden), ElementsAre(ElementsAre(16)));
  EXPECT_THAT((*Options{.hidden = {{16, 8}}}.hidden), ElementsAre(ElementsAre(16, 8)));
  EXPECT_THAT((*Options{.hidden = {{16}, {8}}}.hidden), ElementsAre(ElementsAre(16), ElementsAre(8)));
  EXPECT_FALSE((Options{.hidden = {}}.hidden.is_given()));
  Options options;
  options.hidden = {32, 16};
  EXPECT_THAT(*options.hidden, ElementsAre(ElementsAre(32, 16)));
}

TEST(Choice, KeepsWhatWasGivenAgainstADefault) {
  Choice<int> given = 3;
  given.set_default(5);
  EXPECT_EQ(*given, 3);
  Choice<int> open;
  open.set_default(5);
  open.set_default(6);
  EXPECT_EQ(*open, 5);
  EXPECT_NE(given, open);
  EXPECT_EQ(Choice<int>(), Choice<int>());
  EXPECT_NE(Choice<int>(), Choice<int>(0));
}

}  // namespace
}  // namespace credens
