// SPDX-License-Identifier: Apache-2.0

#include "report/confusions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

#include "unit/score/class_rows.hpp"

namespace credens::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string> colour_names = {"blue", "green", "red"};

/// Blue and green are taken for each other; red is always found.
Matrix small_confusion() {
  return Matrix(3, 3, std::vector<double>{6, 4, 0, 2, 7, 1, 0, 0, 5});
}

TEST(LargestConfusions, AreInTheOrderOfTheirWeights) {
  const std::vector<Confusion> found = largest_confusions(small_confusion(), 5);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].observed, 0U);
  EXPECT_EQ(found[0].predicted, 1U);
  EXPECT_EQ(found[0].weight, 4);
  EXPECT_DOUBLE_EQ(found[0].share, 0.4);
  EXPECT_EQ(found[1].weight, 2);
  EXPECT_EQ(found[2].weight, 1);
  EXPECT_EQ(largest_confusions(small_confusion(), 2).size(), 2U);
}

TEST(MostConfusedClasses, AreThoseWithTheMostWrongRows) {
  EXPECT_THAT(most_confused_classes(small_confusion(), 2), ElementsAre(0, 1));
  EXPECT_THAT(most_confused_classes(small_confusion(), 9), ElementsAre(0, 1, 2));
  const Matrix diagonal(3, 3, std::vector<double>{1, 0, 0, 0, 5, 0, 0, 0, 3});
  EXPECT_THAT(most_confused_classes(diagonal, 2), ElementsAre(1, 2)) << "none is confused: the larger ones";
}

/// The scores of predictions that are the shares of the classes in every row.
TEST(ConstantScores, AreThoseOfAConstantPrediction) {
  const std::vector<double> labels = {0, 0, 0, 1, 1, 2};
  ClassPredictive constant;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    scoring::append_class_row(constant, {0.5, 1.0 / 3, 1.0 / 6}, 0);
  }
  const Matrix targets(6, 1, labels);
  const ClassScores expected = score(constant, targets);
  const Matrix other(3, 3, std::vector<double>{1, 1, 1, 0, 2, 0, 1, 0, 0});  // whatever was predicted
  EXPECT_NEAR(constant_scores(other).log_loss, expected.log_loss, 1e-14);
  EXPECT_NEAR(constant_scores(other).accuracy, expected.accuracy, 1e-14);
}

TEST(ConstantScores, TakeClassesWithoutRows) {
  const Matrix confusion(2, 2, std::vector<double>{3, 1, 0, 0});
  EXPECT_EQ(constant_scores(confusion).log_loss, 0);
  EXPECT_EQ(constant_scores(confusion).accuracy, 1);
}

TEST(ConfusionFigure, ShowsSharesOfTheObservedClass) {
  const Chart chart = confusion_figure(small_confusion(), colour_names).charts.front();
  const Mark& cells = chart.marks.front();
  ASSERT_EQ(cells.value.size(), 9U);
  EXPECT_DOUBLE_EQ(cells.value[1], 40);
  EXPECT_EQ(cells.x[1], 1.5);
  EXPECT_EQ(cells.x_end[1], 2.5);
  EXPECT_EQ(cells.y[1], 0.5);
  EXPECT_DOUBLE_EQ(cells.value[5], 10);
  EXPECT_EQ(chart.x_names, colour_names);
  EXPECT_EQ(chart.y_names, colour_names);
  EXPECT_THAT(confusion_figure(small_confusion(), colour_names).caption, testing::Not(HasSubstr("are shown")));
  EXPECT_NO_THROW(vega_lite_spec(chart));
}

TEST(ConfusionFigure, LeavesLinesWithoutRowsEmpty) {
  const Matrix confusion(2, 2, std::vector<double>{3, 1, 0, 0});
  EXPECT_EQ(confusion_figure(confusion, std::vector<std::string>{"a", "b"}).charts.front().marks.front().value.size(),
            2U);
}

/// 1,000 classes, of which 25 are each taken for the next one once.
Matrix large_confusion() {
  Matrix confusion(1000, 1000);
  for (std::size_t k = 0; k < 1000; ++k) confusion(k, k) = 2;
  for (std::size_t k = 0; k < 50; k += 2) confusion(k, k + 1) = 1 + static_cast<double>(k);
  return confusion;
}

TEST(ConfusionFigure, IsLimitedToTheMostConfusedClasses) {
  const std::vector<std::string> names(1000, "a class");
  const Figure figure = confusion_figure(large_confusion(), names);
  EXPECT_EQ(figure.charts.front().marks.front().value.size(), 400U);
  EXPECT_THAT(figure.caption, HasSubstr("Of 1000 classes the 20 that are confused most are shown."));
  EXPECT_THAT(most_confused_classes(large_confusion(), 4), ElementsAre(46, 47, 48, 49));
}

TEST(ConfusionTables, CountWhatIsFoundAndWhatIsRight) {
  const std::vector<Table> tables = confusion_tables(small_confusion(), colour_names);
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_THAT(tables[0].rows[0], ElementsAre("blue", "10", "8", "60.0 %", "75.0 %"));
  EXPECT_THAT(tables[0].rows[2], ElementsAre("red", "5", "6", "100.0 %", "83.3 %"));
  const Matrix never(2, 2, std::vector<double>{1.5, 0, 0, 0});
  EXPECT_THAT(confusion_tables(never, std::vector<std::string>{"a", "b"})[0].rows[1],
              ElementsAre("b", "0", "0", "–", "–"));
}

TEST(ConfusionTables, NameTheLargestConfusionsOfManyClasses) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < 1000; ++k) names.push_back(std::to_string(k));
  const std::vector<Table> tables = confusion_tables(large_confusion(), names);
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0].rows.size(), 20U);
  EXPECT_THAT(tables[0].caption, HasSubstr("Of 1000 classes the 20"));
  EXPECT_EQ(tables[1].rows.size(), 15U);
  EXPECT_THAT(tables[1].rows[0], ElementsAre("48", "49", "49", "96.1 %"));
}

TEST(WeightText, IsWholeForWholeNumbers) {
  EXPECT_EQ(weight_text(12), "12");
  EXPECT_EQ(weight_text(0.125), "0.1250");
}

}  // namespace
}  // namespace credens::report
