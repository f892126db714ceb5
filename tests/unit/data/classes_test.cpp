// SPDX-License-Identifier: Apache-2.0

#include "data/classes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/file.hpp"
#include "support/temporary_folder.hpp"

namespace credens::data {
namespace {

using testing::ElementsAre;

Dataset read_text(const std::string& text, const DatasetOptions& options) {
  const test::TemporaryFolder folder;
  base::write_file(folder / "t.csv", text);
  return Dataset::from_csv(folder / "t.csv", options);
}

Schema words(std::vector<std::string> levels) {
  Schema schema{.targets = {{.name = "y", .kind = ColumnKind::category, .levels = std::move(levels)}}};
  schema.task = Task::classification;
  return schema;
}

TEST(Classes, OfWordsAreSortedByTheirBytes) {
  const Classes classes = classes_of_rows(words({"pear", "Apple", "fig"}), {{0, 5}, {1, 2}, {2, 3}});
  EXPECT_THAT(classes.names(), ElementsAre("Apple", "fig", "pear"));
  EXPECT_EQ(classes.class_of(0), 2U);
  EXPECT_EQ(classes.class_of(1), 0U);
  EXPECT_EQ(classes.class_of(3), std::nullopt);
}

TEST(Classes, OfWordsThatAreNumbersAreSortedByTheirSize) {
  const Classes classes = classes_of_rows(words({"10", "9", "-1"}), {{0, 1}, {1, 1}, {2, 1}});
  EXPECT_THAT(classes.names(), ElementsAre("-1", "9", "10"));
}

TEST(Classes, OfNumbersAreFoundByTheirValue) {
  Schema schema{.targets = {{.name = "y"}}};
  schema.task = Task::classification;
  const Classes classes = classes_of_rows(schema, {{-2, 1}, {0.5, 4}, {10, 1}});
  EXPECT_THAT(classes.names(), ElementsAre("-2", "0.5", "10"));
  EXPECT_EQ(classes.class_of(0.5), 1U);
  EXPECT_EQ(classes.class_of(0.6), std::nullopt);
}

TEST(Classes, MayBeGivenInAnyOrderAndWithoutRows) {
  Schema schema = words({"b", "a"});
  schema.classes = {"b", "c", "a"};
  const Classes classes = classes_of_rows(schema, {{0, 1}, {1, 1}});
  EXPECT_THAT(classes.names(), ElementsAre("b", "c", "a"));
  EXPECT_EQ(classes.class_of(1), 2U);
}

TEST(Classes, AreRefusedWhereTheyAreTooFewTooManyOrNotThoseOfTheRows) {
  EXPECT_THROW(classes_of_rows(words({"only"}), {{0, 9}}), Error);
  Schema given = words({"a", "b"});
  given.classes = {"a", "c"};
  EXPECT_THROW(classes_of_rows(given, {{0, 1}, {1, 1}}), Error);
  given.classes = {"a", "b", "a"};
  EXPECT_THROW(classes_of_rows(given, {{0, 1}, {1, 1}}), Error);
  std::vector<std::pair<double, std::size_t>> many;
  for (std::size_t i = 0; i <= most_classes; ++i) many.emplace_back(static_cast<double>(i), 1);
  Schema numbers{.targets = {{.name = "y"}}};
  numbers.task = Task::classification;
  EXPECT_THROW(classes_of_rows(numbers, many), Error);
}

TEST(Task, IsClassificationWhereTheTargetHoldsWords) {
  const std::string text = "x,y\n1,a\n2,b\n3,a\n";
  EXPECT_EQ(read_text(text, {.targets = {"y"}}).task(), Task::classification);
  EXPECT_THAT(read_text(text, {.targets = {"y"}}).classes(), ElementsAre("a", "b"));
  EXPECT_EQ(read_text("x,y\n1,0\n2,1\n", {.targets = {"y"}}).task(), Task::regression);
  EXPECT_THAT(read_text("x,y\n1,0\n2,1\n3,0.0\n", {.targets = {"y"}, .task = Task::classification}).classes(),
              ElementsAre("0", "1"));
  EXPECT_THROW(read_text(text, {.targets = {"y"}, .task = Task::regression}), Error);
}

TEST(Task, OfArraysIsClassificationWhereClassesAreGiven) {
  const DatasetParts numbers{.inputs = Matrix(3, 1, {1, 2, 3}), .targets = Matrix(3, 1, {7, 8, 7})};
  EXPECT_EQ(Dataset(numbers).task(), Task::regression);
  DatasetParts given = numbers;
  given.classes = {"8", "9", "7"};
  EXPECT_EQ(Dataset(given).task(), Task::classification);
  EXPECT_THAT(Dataset(given).classes(), ElementsAre("8", "9", "7"));
  given.task = Task::regression;
  EXPECT_THAT(Dataset(given).classes(), testing::IsEmpty());
}

TEST(Task, OfWordsHasNoKnownNoise) {
  const std::string text = "x,s,y\n1,1,a\n2,1,b\n";
  EXPECT_THROW(read_text(text, {.targets = {"y"}, .noise_std = {"s"}}), Error);
  EXPECT_EQ(read_text(text, {.targets = {"y"}, .ignore = {"s"}}).task(), Task::classification);
}

TEST(Task, OfAFewWordsAmongNumbersIsNotGuessed) {
  const std::string text = "x,y\n1,2\n2,3\n3,oops\n4,5\n5,6\n";
  EXPECT_THROW(read_text(text, {.targets = {"y"}}), Error);
  EXPECT_THAT(read_text(text, {.targets = {"y"}, .task = Task::classification}).classes(),
              ElementsAre("2", "3", "5", "6", "oops"));
}

TEST(Counts, BecomeSharesAndWeights) {
  const Dataset data = read_text("x,a,b\n1,3,1\n2,0,2\n", {.counts = {"a", "b"}});
  EXPECT_EQ(data.task(), Task::classification);
  EXPECT_THAT(data.classes(), ElementsAre("a", "b"));
  EXPECT_THAT(data.weights(), ElementsAre(4, 2));
  EXPECT_EQ(data.targets()(0, 0), 0.75);
  EXPECT_EQ(data.targets()(1, 1), 1);
  EXPECT_THROW(read_text("x,a,b\n1,3,-1\n", {.counts = {"a", "b"}}), Error);
  EXPECT_THROW(read_text("x,a,b\n1,0,0\n", {.counts = {"a", "b"}}), Error);
}

TEST(Counts, MultiplyGivenWeights) {
  const Dataset data = read_text("x,a,b,w\n1,3,1,2\n2,0,2,0.5\n", {.counts = {"a", "b"}, .weight = "w"});
  EXPECT_THAT(data.weights(), ElementsAre(8, 1));
}

}  // namespace
}  // namespace credens::data
