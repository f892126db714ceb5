// SPDX-License-Identifier: Apache-2.0

#include "data/schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "data/match.hpp"
#include "support/error_matchers.hpp"
#include "support/tables.hpp"

namespace credens::data {
namespace {

using test::parse_csv;
using testing::ElementsAre;
using testing::IsEmpty;

const std::string named_text = "age,height,sex,y\n1,2,3,4\n5,6,7,8\n";

Table named() {
  return parse_csv(named_text, "t.csv");
}

Table unnamed() {
  return parse_csv("1,2,3,4\n5,6,7,8\n", "t.csv");
}

Matrix matrix(std::size_t rows, std::size_t cols, std::vector<double> values) {
  return {rows, cols, std::move(values)};
}

TEST(Schema, KnowsEachColumnByItsRole) {
  const Schema schema = make_schema(named(), {.targets = {"y"}, .inputs = {"height", "0"}, .noise_std = {"sex"}});
  EXPECT_THAT(schema.inputs, ElementsAre(Column{"height", 1}, Column{"age", 0}));
  EXPECT_THAT(schema.targets, ElementsAre(Column{"y", 3}));
  EXPECT_THAT(schema.noise, ElementsAre(Column{"sex", 2}));
  EXPECT_TRUE(schema.has_noise);
  EXPECT_TRUE(schema.has_names);
  EXPECT_FALSE(schema.weight);
  EXPECT_EQ(schema.table_columns, 4U);
}

TEST(Schema, CallsColumnsWithoutNamesByTheirIndex) {
  const Schema schema = make_schema(unnamed(), {.targets = {"-1"}, .weight = "0", .noise_std = {"2"}});
  EXPECT_THAT(schema.inputs, ElementsAre(Column{"", 1}));
  EXPECT_THAT(schema.targets, ElementsAre(Column{"y", 3}));
  EXPECT_EQ(schema.weight, (Column{"0", 0}));
  EXPECT_THAT(schema.noise, ElementsAre(Column{"2", 2}));
  EXPECT_THAT(schema.input_names(), IsEmpty());
  EXPECT_THAT(schema.input_keys(), ElementsAre("1"));
}

TEST(Schema, RefusesATargetWithoutAName) {
  const Table table = parse_csv("a,\n1,2\n", "t.csv", {.header = true});
  EXPECT_THAT(([&] { make_schema(table, {.targets = {"1"}}); }),
              test::Fails(ErrorCode::data, "t.csv: a target has an empty name"));
}

TEST(Schema, KeepsAnInputWhoseNameIsEmptyApartFromInputsWithoutNames) {
  const Table table = parse_csv("y,\n1,2\n", "t.csv", {.header = true});
  EXPECT_THAT(make_schema(table, {.targets = {"y"}}).input_names(), ElementsAre(""));
}

TEST(MakeColumns, RefusesNamesAndPositionsThatAreTooFewOrTooMany) {
  const std::vector<std::string> one_name = {"a"};
  const std::vector<std::size_t> one_position = {1};
  EXPECT_THAT(([&] { make_columns(one_name, {}, 2, "input", ErrorCode::data); }),
              test::Fails(ErrorCode::data, "1 name for 2 inputs"));
  EXPECT_THAT(([&] { make_columns({}, one_position, 2, "target", ErrorCode::model); }),
              test::Fails(ErrorCode::model, "1 position for 2 targets"));
  EXPECT_THAT(make_columns(one_name, one_position, 1, "input", ErrorCode::data), ElementsAre(Column{"a", 1}));
}

/// Trained on columns height and age of a table of four columns.
const Schema named_schema = {.inputs = {{"height", 1}, {"age", 0}}, .has_names = true, .table_columns = 4};
const Schema unnamed_schema = {.inputs = {{"", 1}, {"", 0}}, .table_columns = 4};

TEST(SelectInputs, FindsThemByName) {
  EXPECT_EQ(select_inputs(named(), named_schema), matrix(2, 2, {2, 1, 6, 5}));
  const Table wide = parse_csv("e,age,d,c,height\n9,1,9,9,2\n", "t.csv");
  EXPECT_EQ(select_inputs(wide, named_schema), matrix(1, 2, {2, 1}));
}

TEST(SelectInputs, DoesNotMindOtherColumns) {
  const Table table = parse_csv("name,age,height,y\nann,1,2,\nbob,5,6,NA\n", "t.csv");
  EXPECT_EQ(select_inputs(table, named_schema), matrix(2, 2, {2, 1, 6, 5}));
}

TEST(SelectInputs, NamesTheOneThatIsMissing) {
  const Table table = parse_csv("age,hight,y\n1,2,3\n", "t.csv");
  EXPECT_THAT([&] { select_inputs(table, named_schema); },
              test::Fails(ErrorCode::data, "t.csv: no column \"height\", an input of the model; did you mean hight?"));
}

TEST(SelectInputs, RefusesInputsThatAreNoNumbers) {
  const Table table = parse_csv("age,height\n1,2\nx,3\n", "t.csv");
  EXPECT_THAT([&] { select_inputs(table, named_schema); },
              test::Fails(ErrorCode::data, "t.csv:3:1 (age): \"x\" is not a number"));
  const Table no_names = parse_csv("1,2\nNA,3\n", "t.csv");
  EXPECT_TRUE(std::isnan(select_inputs(no_names, named_schema)(1, 0)));
}

TEST(SelectInputs, TakesAllColumnsWhereTheyAreTheInputs) {
  const Table table = parse_csv("1,2\n3,4\n", "t.csv");
  EXPECT_EQ(select_inputs(table, named_schema), matrix(2, 2, {1, 2, 3, 4}));
  EXPECT_EQ(select_inputs(table, unnamed_schema), matrix(2, 2, {1, 2, 3, 4}));
}

TEST(SelectInputs, TakesThePositionsOfTraining) {
  EXPECT_EQ(select_inputs(unnamed(), named_schema), matrix(2, 2, {2, 1, 6, 5}));
  EXPECT_EQ(select_inputs(unnamed(), unnamed_schema), matrix(2, 2, {2, 1, 6, 5}));
  EXPECT_EQ(select_inputs(named(), unnamed_schema), matrix(2, 2, {2, 1, 6, 5}));
}

TEST(SelectInputs, RefusesTablesThatAreNeither) {
  const Table table = parse_csv("1,2,3\n", "t.csv");
  EXPECT_THAT([&] { select_inputs(table, unnamed_schema); },
              test::Fails(ErrorCode::data, "t.csv: 3 columns, expected the 2 inputs or the 4 columns of training"));
}

/// A model of height and age, whose target is y; noise in column sex where it is known.
Schema model_schema(bool known_noise = false) {
  Schema schema = make_schema(named(), {.targets = {"y"}, .inputs = {"height", "age"}});
  schema.has_noise = known_noise;
  if (known_noise) schema.noise = {{.name = "sex"}};
  return schema;
}

std::function<void()> matching(const std::string& text, const GivenColumns& given, bool known_noise = false) {
  return [=] { match(model_schema(known_noise), parse_csv(text, "t.csv"), given, Targets::needed); };
}

TEST(Match, GivesTheColumnsOfTheModelThePositionsOfTheTable) {
  const Table table = parse_csv("w,y,e,age,height,s\n1,2,3,4,5,6\n", "t.csv");
  const Schema schema = match(model_schema(), table, {.weight = "w", .noise_std = {"s"}}, Targets::needed);
  EXPECT_THAT(schema.inputs, ElementsAre(Column{"height", 4}, Column{"age", 3}));
  EXPECT_THAT(schema.targets, ElementsAre(Column{"y", 1}));
  EXPECT_EQ(schema.weight, (Column{"w", 0}));
  EXPECT_THAT(schema.noise, ElementsAre(Column{"s", 5}));
  EXPECT_TRUE(schema.has_noise);
  EXPECT_EQ(schema.table_columns, 6U);
}

TEST(Match, FindsColumnsThatAreCalledOtherwise) {
  const Table table = parse_csv("age,height,z\n1,2,3\n", "t.csv");
  EXPECT_THAT(match(model_schema(), table, {.target = {"z"}}, Targets::if_there).targets, ElementsAre(Column{"y", 2}));
}

TEST(Match, FindsTargetsWithoutNamesWhereTheyWereInTraining) {
  EXPECT_THAT(match(model_schema(), unnamed(), {}, Targets::needed).targets, ElementsAre(Column{"y", 3}));
  EXPECT_THAT(matching("1,2\n", {}), test::Fails(ErrorCode::data, "t.csv: the targets cannot be found by name"));
}

TEST(Match, LeavesTargetsOutThatAreNotThereOrNotUsed) {
  const Table table = parse_csv("age,height\n1,2\n", "t.csv");
  const Column missing{.name = "y"};
  EXPECT_THAT(match(model_schema(), table, {}, Targets::if_there).targets, ElementsAre(missing));
  EXPECT_THAT(match(model_schema(), named(), {}, Targets::unused).targets, ElementsAre(missing));
  EXPECT_THAT(match(model_schema(), named(), {}, Targets::if_there).targets, ElementsAre(Column{"y", 3}));
  EXPECT_THAT(matching("age,height\n1,2\n", {}), test::Fails(ErrorCode::data, "t.csv: no column \"y\""));
}

TEST(Match, WantsTheNoiseThatTheModelWasTrainedWith) {
  EXPECT_THAT(match(model_schema(true), named(), {}, Targets::unused).noise, ElementsAre(Column{"sex", 2}));
  EXPECT_THAT(matching("age,height,y\n1,2,3\n", {}, true), test::Fails(ErrorCode::data, "no column \"sex\""));
  Schema of_arrays = model_schema(true);
  of_arrays.noise.clear();
  EXPECT_THAT([&] { match(of_arrays, named(), {}, Targets::unused); },
              test::Fails(ErrorCode::usage, "expected its column of t.csv with --noise-std"));
}

TEST(Match, RefusesTooManyColumns) {
  EXPECT_THAT(matching(named_text, {.target = {"y", "sex"}}),
              test::Fails(ErrorCode::usage, "--target gives 2 columns, expected 1, one per output"));
  EXPECT_THAT(
      matching(named_text, {.noise_std = {"y", "sex"}}),
      test::Fails(ErrorCode::usage, "--noise-std gives 2 columns, expected one for all outputs or one each (1)"));
}

}  // namespace
}  // namespace credens::data
