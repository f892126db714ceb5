// SPDX-License-Identifier: Apache-2.0

#include "data/units.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "data/match.hpp"
#include "data/schema.hpp"
#include "data/table.hpp"
#include "support/error_matchers.hpp"

namespace credens::data {
namespace {

using Words = std::vector<std::string>;

TEST(SplitUnit, TakesWhatStandsInBracketsAtTheEnd) {
  EXPECT_EQ(split_unit("length [mm]"), (NameAndUnit{"length", "mm"}));
  EXPECT_EQ(split_unit("length[mm]"), (NameAndUnit{"length", "mm"}));
  EXPECT_EQ(split_unit("length (mm)"), (NameAndUnit{"length", "mm"}));
  EXPECT_EQ(split_unit("Cement (component 1)(kg in a m^3 mixture)"),
            (NameAndUnit{"Cement (component 1)", "kg in a m^3 mixture"}));
  EXPECT_EQ(split_unit("flow [ 1/s ]"), (NameAndUnit{"flow", "1/s"}));
  EXPECT_EQ(split_unit("share [%]"), (NameAndUnit{"share", "%"}));
  EXPECT_EQ(split_unit(" force (kN) "), (NameAndUnit{"force", "kN"}));
  EXPECT_EQ(split_unit(" force "), NameAndUnit{" force "});
}

TEST(SplitUnit, LeavesOtherNamesAlone) {
  for (const char* name : {"length", "", "f(x)", "[mm]", "(mm)", "x[0]", "sales (2020)", "x []", "a (b (c))", "a [b",
                           "a]", "a (mm) b", "a [b)", " [mm]", "x (1e3)"}) {
    EXPECT_EQ(split_unit(name), NameAndUnit{name}) << name;
  }
}

RC_GTEST_PROP(SplitUnit, UndoesLabels, ()) {
  const auto word = rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(std::string("abc/%^-_"))));
  const std::string name = *word;
  const std::string unit = *word;
  RC_ASSERT(split_unit(label_with_unit(name, unit)) == (NameAndUnit{name, unit}));
  RC_ASSERT(split_unit(label_with_unit(name, "")) == NameAndUnit{name});
}

TEST(UnitOfCell, DropsBracketsAndDashes) {
  EXPECT_EQ(unit_of_cell("mm"), "mm");
  EXPECT_EQ(unit_of_cell("[mm]"), "mm");
  EXPECT_EQ(unit_of_cell("( °C )"), "°C");
  for (const char* none : {"", "-", "–", "[-]", "(—)", "[]"}) EXPECT_EQ(unit_of_cell(none), "") << none;
}

TEST(LooksLikeUnit, KnowsSymbolsPowersAndProducts) {
  for (const char* unit : {"mm",  "MPa", "°C",   "kg/m³",      "kg m^-3", "µg/l", "W·m⁻²", "%",  "years", "1/s",
                           "N.m", "EUR", "(mm)", "[whatever]", "mol/L",   "km/h", "kWh",   "m2", "deg",   "mmHg"}) {
    EXPECT_TRUE(looks_like_unit(unit)) << unit;
  }
  for (const char* word :
       {"n.d.", "nd", "trace", "-", "", "missing", "broken", "Vic", "<LOD", "x", "(n.d.)", "BDL", "none", "12"}) {
    EXPECT_FALSE(looks_like_unit(word)) << word;
  }
}

struct Separated {
  Words names;
  Words units;
  bool operator==(const Separated&) const = default;
};

Separated separated(Words names, Words units = {}) {
  separate_units(names, units);
  return {names, units};
}

TEST(SeparateUnits, KeepsNamesWithoutUnits) {
  EXPECT_EQ(separated({"a", "b"}), (Separated{{"a", "b"}, {}}));
  EXPECT_EQ(separated({"a", "b"}, {"", ""}), (Separated{{"a", "b"}, {}}));
}

TEST(SeparateUnits, TakesUnitsFromNamesAndFromTheLineBelow) {
  EXPECT_EQ(separated({"a [mm]", "b"}), (Separated{{"a", "b"}, {"mm", ""}}));
  EXPECT_EQ(separated({"a [mm]", "b", "c (s)"}, {"mm", "kg", ""}), (Separated{{"a", "b", "c"}, {"mm", "kg", "s"}}));
  EXPECT_EQ(separated({"a (upper)"}, {"mm"}), (Separated{{"a (upper)"}, {"mm"}}));
}

TEST(SeparateUnits, LeavesFullNamesToColumnsThatWouldBeTheSame) {
  EXPECT_EQ(separated({"a [mm]", "a (in)", "b [s]"}), (Separated{{"a [mm]", "a (in)", "b"}, {"", "", "s"}}));
  EXPECT_EQ(separated({"a", "a [mm]"}), (Separated{{"a", "a [mm]"}, {}}));
  EXPECT_EQ(separated({"a", "a"}, {"mm", "in"}), (Separated{{"a [mm]", "a [in]"}, {}}));
}

Table table_of(const Words& labels) {
  Table table{.source = "t.csv", .names = labels, .values = Matrix(0, labels.size())};
  separate_units(table.names, table.units);
  return table;
}

TEST(FindName, TakesNamesWithAndWithoutUnits) {
  const Table table = table_of({"length [mm]", "mass"});
  EXPECT_EQ(find_column(table, "length"), 0);
  EXPECT_EQ(find_column(table, "length [mm]"), 0);
  EXPECT_EQ(find_column(table, "length (mm)"), 0);
  EXPECT_EQ(find_column(table, "mass"), 1);
  EXPECT_FALSE(find_name(table, "length [cm]"));
  EXPECT_FALSE(find_name(table, "mass [kg]"));
}

TEST(FindName, TellsTwinsApartByTheirUnits) {
  const Table table = table_of({"length [in]", "length [mm]", "length"});
  EXPECT_EQ(find_name(table, "length", "mm"), 1);
  EXPECT_EQ(find_name(table, "length [mm]"), 1);
  EXPECT_EQ(find_name(table, "length"), 2);
}

Schema trained_on(const Words& labels) {
  return make_schema(table_of(labels), {.targets = {labels.back()}});
}

TEST(MatchUnits, RefusesOtherUnitsAndAcceptsNone) {
  const Schema model = trained_on({"length [mm]", "strength [MPa]"});
  EXPECT_EQ(model.inputs[0], (Column{"length", 0, "mm"}));
  EXPECT_EQ(model.targets[0], (Column{"strength", 1, "MPa"}));
  EXPECT_EQ(match(model, table_of({"strength", "length"}), {}, Targets::needed).inputs[0].position, 1);
  EXPECT_EQ(match(model, table_of({"a", "length (mm)"}), {}, Targets::unused).inputs[0].position, 1);
  EXPECT_THAT(
      [&] {
        match(model, table_of({"length [cm]", "b"}), {}, Targets::unused);
      },
      test::Fails(ErrorCode::data, "t.csv: column \"length\" is in \"cm\", expected \"mm\" as in training"));
  EXPECT_THAT(
      [&] {
        match(model, table_of({"length", "strength [psi]"}), {}, Targets::needed);
      },
      test::Fails(ErrorCode::data, "t.csv: column \"strength\" is in \"psi\", expected \"MPa\" as in training"));
  EXPECT_THAT(
      [&] {
        match(model, table_of({"length", "force [N]"}), {.target = {"force"}}, Targets::needed);
      },
      test::Fails(ErrorCode::data, "t.csv: column \"strength\" is in \"N\", expected \"MPa\" as in training"));
}

TEST(MatchUnits, FindsColumnsOfModelsThatKnowFullNamesOnly) {
  Schema old = trained_on({"length", "y"});
  old.inputs[0] = {"length [mm]", 0};
  EXPECT_EQ(match(old, table_of({"x", "length [mm]"}), {}, Targets::unused).inputs[0].position, 1);
}

TEST(Labels, HaveUnits) {
  const Schema schema = trained_on({"length [mm]", "age", "y (MPa)"});
  EXPECT_EQ(schema.input_labels(), (Words{"length [mm]", "age"}));
  EXPECT_EQ(schema.target_labels(), (Words{"y [MPa]"}));
  EXPECT_EQ(schema.input_names(), (Words{"length", "age"}));
  EXPECT_EQ(units_of(schema.inputs), (Words{"mm", ""}));
  EXPECT_EQ(units_of(trained_on({"a", "b"}).inputs), Words{});
}

}  // namespace
}  // namespace credens::data
