// SPDX-License-Identifier: Apache-2.0

#include "base/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "support/error_matchers.hpp"

namespace credens::base {

enum class Season { spring, late_summer };

template <>
struct EnumNames<Season> {
  static constexpr std::string_view what = "season";
  static constexpr std::pair<Season, std::string_view> entries[] = {{Season::spring, "spring"},
                                                                    {Season::late_summer, "late-summer"}};
};

namespace {

struct Garden {
  bool fenced = false;
  int beds = 3;
  std::size_t rows = 4;
  std::uint64_t seed = 0;
  double learning_rate = 1e-3;
  std::string name = "eden";
  Season season = Season::spring;
  std::vector<double> levels = {0.5, 0.95};
  std::vector<std::size_t> widths = {128, 64};
  std::vector<std::string> plants = {};
  Choice<int> bees = {};
  int threads = 0;
};

OptionTable<Garden> garden_table() {
  OptionTable<Garden> table;
  table.group("Ground")
      .add_switch("fenced", &Garden::fenced, "keep deer out")
      .add("beds", "COUNT", &Garden::beds, "number of beds", "a whole number")
      .add("rows", "COUNT", &Garden::rows, "rows per bed", "a whole number above 0", [](auto rows) { return rows > 0; })
      .group("Growth")
      .add("seed", "NUMBER", &Garden::seed, "seed", "a whole number")
      .add("learning_rate", "RATE", &Garden::learning_rate, "step", "a number above 0",
           [](auto rate) { return rate > 0; })
      .add("name", "TEXT", &Garden::name, "name", "text")
      .add("season", "NAME", &Garden::season, "season", "spring or late-summer")
      .add("levels", "NUMBERS", &Garden::levels, "levels", "numbers")
      .add("widths", "NUMBERS", &Garden::widths, "widths", "whole numbers")
      .add("plants", "NAMES", &Garden::plants, "plants", "names")
      .add("bees", "COUNT", &Garden::bees, "bees", "a whole number")
      .add("threads", "COUNT", &Garden::threads, "threads", "a whole number")
      .not_stored();
  return table;
}

Garden changed_garden() {
  return {.fenced = true,
          .beds = -7,
          .rows = 12,
          .seed = std::numeric_limits<std::uint64_t>::max(),
          .learning_rate = 0.1 + 0.2,
          .name = "größer, als gedacht",
          .season = Season::late_summer,
          .levels = {1e-300, 1.0 / 3},
          .widths = {},
          .plants = {"rose, red", "oak", "5\" pipe"},
          .bees = 9,
          .threads = 2};
}

TEST(OptionTable, CarriesEveryTypeThroughText) {
  const auto table = garden_table();
  const Garden changed = changed_garden();
  Garden copy;
  for (const auto& option : table.options()) option.set(copy, to_text(option.get(changed)));
  EXPECT_EQ(copy.fenced, changed.fenced);
  EXPECT_EQ(copy.beds, changed.beds);
  EXPECT_EQ(copy.rows, changed.rows);
  EXPECT_EQ(copy.seed, changed.seed);
  EXPECT_EQ(copy.learning_rate, changed.learning_rate);
  EXPECT_EQ(copy.name, changed.name);
  EXPECT_EQ(copy.season, changed.season);
  EXPECT_EQ(copy.levels, changed.levels);
  EXPECT_EQ(copy.widths, changed.widths);
  EXPECT_EQ(copy.plants, changed.plants);
  EXPECT_EQ(*copy.bees, *changed.bees);
  EXPECT_EQ(copy.threads, changed.threads);
}

TEST(OptionTable, ValuesHaveTheTypesThatFilesShare) {
  const auto values = garden_table().values(Garden{}, false);  // bees are a choice that nobody made
  const OptionValues expected = {{"fenced", false},
                                 {"beds", std::int64_t{3}},
                                 {"rows", std::int64_t{4}},
                                 {"seed", std::int64_t{0}},
                                 {"learning_rate", 1e-3},
                                 {"name", std::string("eden")},
                                 {"season", std::string("spring")},
                                 {"levels", std::string("0.5,0.95")},
                                 {"widths", std::string("128,64")},
                                 {"plants", std::string()},
                                 {"threads", std::int64_t{0}}};
  EXPECT_EQ(values, expected);
}

TEST(OptionTable, StoresOnlyWhatDeterminesTheResult) {
  const auto stored = garden_table().values(Garden{}, true);
  EXPECT_EQ(stored.size(), garden_table().options().size() - 2) << "threads, and bees that nobody chose";
  EXPECT_NE(stored.back().first, "threads");
}

TEST(OptionTable, FindsByName) {
  const auto table = garden_table();
  ASSERT_NE(table.find("rows"), nullptr);
  EXPECT_EQ(table.find("rows")->help, "rows per bed");
  EXPECT_EQ(table.find("row"), nullptr);
  EXPECT_EQ(table.names().front(), "fenced");
  EXPECT_EQ(table.names().size(), table.options().size());
}

TEST(OptionTable, KnowsSwitches) {
  EXPECT_TRUE(garden_table().find("fenced")->is_switch());
  EXPECT_FALSE(garden_table().find("rows")->is_switch());
}

TEST(OptionTable, RowsBelongToTheGroupBeforeThem) {
  EXPECT_EQ(garden_table().find("rows")->group, "Ground");
  EXPECT_EQ(garden_table().find("seed")->group, "Growth");
}

TEST(OptionTable, IncludesTheRowsOfAPart) {
  struct Estate {
    Garden garden = {};
    int ponds = 1;
  };
  OptionTable<Estate> table;
  table.add("ponds", "COUNT", &Estate::ponds, "ponds", "a whole number").include(garden_table(), &Estate::garden);
  EXPECT_EQ(table.options().size(), garden_table().options().size() + 1);
  Estate estate;
  EXPECT_FALSE(table.find("bees")->is_given(estate));
  table.find("bees")->set(estate, "4");
  EXPECT_EQ(*estate.garden.bees, 4);
  EXPECT_TRUE(table.find("bees")->is_given(estate));
  EXPECT_EQ(to_text(table.find("bees")->get(estate)), "4");
  EXPECT_FALSE(table.find("threads")->is_stored);
  EXPECT_EQ(table.find("rows")->group, "Ground");
}

struct BadText {
  const char* option;
  const char* text;
  const char* sentence;
};

TEST(OptionTable, ABadValueNamesTheFlagWhatWasFoundAndWhatWasExpected) {
  const BadText cases[] = {
      {"fenced", "yes", "--fenced is \"yes\", expected true or false"},
      {"beds", "three", "--beds is \"three\", expected a whole number"},
      {"beds", "3.0", "--beds is \"3.0\", expected a whole number"},
      {"beds", "2147483648", "--beds is \"2147483648\", expected a whole number"},
      {"beds", "", "--beds is \"\", expected a whole number"},
      {"rows", "0", "--rows is \"0\", expected a whole number above 0"},
      {"rows", "-1", "--rows is \"-1\", expected a whole number above 0"},
      {"seed", "18446744073709551616", "--seed is \"18446744073709551616\", expected a whole number"},
      {"learning_rate", "0", "--learning-rate is \"0\", expected a number above 0"},
      {"learning_rate", "nan", "--learning-rate is \"nan\", expected a number above 0"},
      {"learning_rate", "1e999", "--learning-rate is \"1e999\", expected a number above 0"},
      {"season", "winter", "--season is \"winter\", expected spring or late-summer"},
      {"levels", "0.5,x", "--levels is \"0.5,x\", expected numbers"},
      {"widths", "1,,2", "--widths is \"1,,2\", expected whole numbers"},
  };
  const auto table = garden_table();
  for (const auto& [option, text, sentence] : cases) {
    Garden garden;
    EXPECT_THAT([&] { table.find(option)->set(garden, text); }, test::Fails(ErrorCode::usage, sentence));
  }
}

TEST(OptionTable, ABadValueLeavesTheOptionsAsTheyWere) {
  Garden garden;
  EXPECT_THROW(garden_table().find("rows")->set(garden, "0"), Error);
  EXPECT_EQ(garden.rows, Garden{}.rows);
}

TEST(OptionTable, ListsAllowBlanksBetweenItems) {
  Garden garden;
  garden_table().find("widths")->set(garden, "128, 64 ,32");
  EXPECT_EQ(garden.widths, (std::vector<std::size_t>{128, 64, 32}));
}

using Texts = FieldText<std::vector<std::string>>;

TEST(ListOfTexts, SplitsAtCommasOutsideOfQuotes) {
  using testing::ElementsAre;
  EXPECT_THAT(Texts::parse("a"), ElementsAre("a"));
  EXPECT_THAT(Texts::parse("a, b,-1"), ElementsAre("a", "b", "-1"));
  EXPECT_THAT(Texts::parse("\"strength, MPa\",b"), ElementsAre("strength, MPa", "b"));
  EXPECT_THAT(Texts::parse("\"5\"\" pipe\""), ElementsAre("5\" pipe"));
  EXPECT_TRUE(Texts::parse("").empty());
}

TEST(ListOfTexts, RefusesEmptyItemsAndBrokenQuotes) {
  for (const char* text : {"a,", ",a", "a,,b", "\"\"", "\"a", "\"a\"b"})
    EXPECT_THROW(Texts::parse(text), Error) << text;
}

RC_GTEST_PROP(ListOfTexts, ComesBackFromText, ()) {
  const auto letters = rc::gen::elementOf(std::string("ab ,\";"));
  const auto texts =
      rc::gen::container<std::vector<std::string>>(rc::gen::nonEmpty(rc::gen::container<std::string>(letters)));
  const std::vector<std::string> list = *texts;
  RC_ASSERT(Texts::parse(to_text(Texts::value(list))) == list);
}

RC_GTEST_PROP(OptionTable, NumbersComeBackFromText, (std::uint64_t seed, std::int32_t beds, std::uint64_t bits)) {
  const auto rate = std::bit_cast<double>(bits);
  RC_PRE(std::isfinite(rate));
  RC_ASSERT(FieldText<std::uint64_t>::parse(to_text(FieldText<std::uint64_t>::value(seed))) == seed);
  RC_ASSERT(FieldText<std::int32_t>::parse(to_text(FieldText<std::int32_t>::value(beds))) == beds);
  RC_ASSERT(FieldText<double>::parse(to_text(FieldText<double>::value(rate))) == rate);
}

TEST(FlagOf, IsTheNameWithDashes) {
  EXPECT_EQ(flag_of("learning_rate"), "--learning-rate");
  EXPECT_EQ(flag_of("seed"), "--seed");
}

}  // namespace
}  // namespace credens::base
