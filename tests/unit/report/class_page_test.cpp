// SPDX-License-Identifier: Apache-2.0

#include "report/class_page.hpp"

#include <credens/fit.hpp>
#include <credens/problems.hpp>
#include <credens/widen.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "score/diagnostics.hpp"
#include "support/error_matchers.hpp"

namespace credens::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Few networks that hardly learned, so that some rows are wrong.
Ensemble fitted() {
  return fit(two_moons(40, 3), {.recipe = Recipe::paper,
                                .members = 3,
                                .hidden = std::vector<std::vector<std::size_t>>{{8}},
                                .epochs = 30,
                                .learning_rate = std::vector<double>{0.01},
                                .prior_precision = 0.1,
                                .posterior = PosteriorKind::full,
                                .threads = 1});
}

const Ensemble& model() {
  static const Ensemble model = fitted();
  return model;
}

const Dataset& rows() {
  static const Dataset rows = two_moons(120, 8);
  return rows;
}

struct BothSides {
  ClassPredictive classical;
  ClassPredictive extended;

  ClassPredictions both() const { return {classical, extended}; }
};

BothSides sides_at(MatrixView inputs) {
  return {model().predict_classes(inputs, {.classical = true}), model().predict_classes(inputs)};
}

ClassReport report_of(const ClassReportOptions& options = {}) {
  ClassReport report(model(), options);
  const BothSides sides = sides_at(rows().inputs());
  report.add(sides.both(), options.has_targets ? rows().targets() : MatrixView(), {});
  return report;
}

RowPlaces places_of(const ClassReport& report) {
  RowPlaces places{.word = "line", .kept_names = {"name"}};
  for (const std::size_t row : report.shown_rows()) {
    places.numbers[row] = row + 2;
    places.inputs[row].assign(rows().inputs().row(row).begin(), rows().inputs().row(row).end());
    places.kept[row] = {"sample " + std::to_string(row)};
  }
  return places;
}

Page page_of(const ClassReport& report) {
  return report.page({.model = "folder/m.safetensors", .data = "folder/test.csv", .date = "2026-03-01"},
                     places_of(report));
}

std::vector<std::string> titles_of(const Page& page) {
  std::vector<std::string> titles;
  for (const Section& section : page.sections) titles.push_back(section.title);
  return titles;
}

Section section_of(const Page& page, const std::string& title) {
  return *std::ranges::find(page.sections, title, &Section::title);
}

Chart chart_of(const Page& page, const std::string& title) {
  for (const Section& section : page.sections) {
    for (const Figure& figure : section.figures) {
      if (figure.charts.front().title == title) return figure.charts.front();
    }
  }
  ADD_FAILURE() << "no chart " << title;
  return {};
}

Mark mark_of(const Chart& chart, const std::string& label) {
  const auto found = std::ranges::find(chart.marks, label, &Mark::label);
  if (found != chart.marks.end()) return *found;
  ADD_FAILURE() << "no mark " << label;
  return {};
}

TEST(ClassReport, ShowsEverythingOfRowsWithTargets) {
  const Page page = page_of(report_of());
  EXPECT_THAT(titles_of(page), ElementsAre("The scores", "What new rows may expect", "Predictions of moon",
                                           "The classes", "How the model was made"));
  std::vector<std::string> charts;
  const Section predictions = section_of(page, "Predictions of moon");
  for (const Figure& figure : predictions.figures) {
    charts.push_back(figure.charts.front().title);
    EXPECT_GT(figure.caption.size(), 80U);
    EXPECT_FALSE(figure.charts.front().description.empty());
    EXPECT_NO_THROW(vega_lite_spec(figure.charts.front()));
  }
  EXPECT_THAT(charts, ElementsAre("Reliability diagram", "Risk against coverage", "Confusion matrix",
                                  "How sure the predictions are", "Noise and ignorance by row",
                                  "Entropy from sure to unsure rows"));
}

TEST(ClassReport, SaysFirstWhatMatters) {
  ClassReport report = report_of();
  const ClassScores scores = score(sides_at(rows().inputs()).extended, rows().targets());
  const std::string lead = page_of(report).lead;
  EXPECT_THAT(lead, StartsWith("For the 120 rows of test.csv, m.safetensors has a log loss of " +
                               significant(scores.log_loss) + " nats per row (a constant prediction: 0.682)"));
  EXPECT_THAT(lead, HasSubstr("the right class for " + percent(scores.accuracy)));
  report.set_training_share(1.0);
  EXPECT_THAT(page_of(report).lead, StartsWith("These are rows of training: "));
}

TEST(ClassReport, ScoresAreThoseOfTheComparison) {
  const ClassReport report = report_of();
  const BothSides sides = sides_at(rows().inputs());
  ClassComparer comparer(2, {});
  comparer.add(sides.both(), rows().targets(), {});
  const ClassModelNames names{.classes = {"upper", "lower"}, .posterior = "full"};
  const std::vector<Table> expected = class_comparison_tables(comparer.comparison(), names);
  const std::vector<Table> found = section_of(page_of(report), "The scores").tables;
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].rows, expected[i].rows);
}

TEST(ClassReport, ReliabilityIsThatOfRowsOfAlikeConfidence) {
  const Chart chart = chart_of(page_of(report_of()), "Reliability diagram");
  const ClassPredictive predictive = sides_at(rows().inputs()).extended;
  const Mark line = mark_of(chart, "this model");
  const Mark intervals = mark_of(chart, "95 % interval of the share");
  std::size_t place = 0;
  for (int bin = 7; bin < 15; ++bin) {
    double count = 0;
    double confidence = 0;
    double right = 0;
    for (std::size_t row = 0; row < predictive.rows(); ++row) {
      const double largest = std::ranges::max(predictive.probability.row(row));
      if (largest < bin / 15.0 || (largest >= (bin + 1) / 15.0 && bin < 14)) continue;
      ++count;
      confidence += largest;
      right += static_cast<double>(predictive.predicted(row)) == rows().targets()(row, 0) ? 1 : 0;
    }
    if (count == 0) continue;
    ASSERT_LT(place, line.x.size());
    EXPECT_NEAR(line.x[place], 100 * confidence / count, 1e-10);
    EXPECT_NEAR(line.y[place], 100 * right / count, 1e-10);
    EXPECT_LE(intervals.y[place], line.y[place]);
    EXPECT_GE(intervals.y_end[place], line.y[place]);
    ++place;
  }
  EXPECT_EQ(place, line.x.size());
  EXPECT_GT(place, 2U);
}

TEST(ClassReport, ConfidencesOfRightAndWrongRowsAreAllRows) {
  const Chart chart = chart_of(page_of(report_of()), "How sure the predictions are");
  const Mark right = mark_of(chart, "rows, predicted class right");
  const Mark wrong = mark_of(chart, "rows, predicted class wrong");
  const double accuracy = score(sides_at(rows().inputs()).extended, rows().targets()).accuracy;
  EXPECT_NEAR(std::accumulate(right.y.begin(), right.y.end(), 0.0), 100 * accuracy, 1e-10);
  EXPECT_NEAR(std::accumulate(wrong.y.begin(), wrong.y.end(), 0.0), 100 - 100 * accuracy, 1e-10);
  for (std::size_t i = 0; i < right.x.size(); ++i) EXPECT_EQ(right.x_end[i], wrong.x[i]) << "side by side";
}

TEST(ClassReport, RiskIsThatOfTheSurestRows) {
  const Chart chart = chart_of(page_of(report_of()), "Risk against coverage");
  const BothSides sides = sides_at(rows().inputs());
  const RiskCurve by_probability = risk_coverage(sides.extended, rows().targets());
  const RiskCurve by_ignorance = risk_coverage(sides.extended, rows().targets(), {.risk_order = RiskOrder::epistemic});
  const RiskCurve classical = risk_coverage(sides.classical, rows().targets());
  const Mark line = mark_of(chart, "this model, by probability");
  ASSERT_EQ(line.x.size(), 100U);
  for (std::size_t i = 0; i < 100; ++i) {
    const double share = static_cast<double>(i + 1) / 100;
    EXPECT_NEAR(line.x[i], 100 * share, 1e-12);
    EXPECT_NEAR(line.y[i], 100 * by_probability.at(share), 1e-10);
    EXPECT_NEAR(mark_of(chart, "this model, by ignorance").y[i], 100 * by_ignorance.at(share), 1e-10);
    EXPECT_NEAR(mark_of(chart, "classical, by probability").y[i], 100 * classical.at(share), 1e-10);
  }
  EXPECT_THAT(chart.subtitle, HasSubstr("AURC " + significant(by_probability.area)));
  EXPECT_THAT(chart.subtitle, HasSubstr("by ignorance " + significant(by_ignorance.area)));
}

/// The least risk of any order: right rows first.
TEST(ClassReport, BestPossibleRiskHasAllWrongRowsLast) {
  const Mark best =
      mark_of(chart_of(page_of(report_of()), "Risk against coverage"), "best possible: all wrong ones last");
  const ClassPredictive predictive = sides_at(rows().inputs()).extended;
  double wrong = 0;
  for (std::size_t row = 0; row < 120; ++row) {
    wrong += static_cast<double>(predictive.predicted(row)) == rows().targets()(row, 0) ? 0 : 1;
  }
  for (const std::size_t percent : {50U, 75U, 100U}) {  // whole numbers of rows
    const double answered = 1.2 * static_cast<double>(percent);
    EXPECT_NEAR(best.y[percent - 1], 100 * std::max(0.0, answered - (120 - wrong)) / answered, 1e-9);
  }
}

TEST(ClassReport, PointsAreTheEntropiesOfRows) {
  const Chart chart = chart_of(page_of(report_of()), "Noise and ignorance by row");
  const ClassPredictive predictive = sides_at(rows().inputs()).extended;
  std::vector<std::pair<double, double>> found;
  for (const char* label : {"rows, predicted class right", "rows, predicted class wrong"}) {
    const Mark points = mark_of(chart, label);
    for (std::size_t i = 0; i < points.x.size(); ++i) found.emplace_back(points.x[i], points.y[i]);
  }
  std::vector<std::pair<double, double>> expected;
  for (std::size_t row = 0; row < 120; ++row) {
    expected.emplace_back(std::max(1e-4, predictive.aleatoric[row]), std::max(1e-4, predictive.epistemic[row]));
  }
  std::ranges::sort(found);
  std::ranges::sort(expected);
  EXPECT_EQ(found, expected);
}

TEST(ClassReport, NamesTheRowsOfLargestIgnorance) {
  const ClassReport report = report_of();
  const Table table = section_of(page_of(report), "Predictions of moon").tables.front();
  EXPECT_THAT(table.headings, ElementsAre("line", "ignorance", "entropy", "predicted", "its probability", "observed",
                                          "its probability", "name", "x1", "x2"));
  const ClassPredictive predictive = sides_at(rows().inputs()).extended;
  const std::vector<std::size_t> largest = scoring::largest(predictive.epistemic, 12);
  ASSERT_EQ(table.rows.size(), 12U);
  for (std::size_t i = 0; i < 12; ++i) {
    const std::size_t row = largest[i];
    const auto label = static_cast<std::size_t>(rows().targets()(row, 0));
    EXPECT_EQ(table.rows[i][0], std::to_string(row + 2));
    EXPECT_EQ(table.rows[i][1], significant(predictive.epistemic[row]));
    EXPECT_EQ(table.rows[i][3], model().classes()[predictive.predicted(row)]);
    EXPECT_EQ(table.rows[i][5], model().classes()[label]);
    EXPECT_EQ(table.rows[i][6], percent(predictive.probability(row, label)));
    EXPECT_EQ(table.rows[i][7], "sample " + std::to_string(row));
    EXPECT_EQ(table.rows[i][8], significant(rows().inputs()(row, 0), 4));
  }
}

TEST(ClassReport, DoesNotDependOnBlocks) {
  ClassReport report(model(), {});
  for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{0, 50}, {50, 1}, {51, 69}}) {
    const BothSides sides = sides_at(rows().inputs().row_block(first, count));
    report.add(sides.both(), rows().targets().row_block(first, count), {});
  }
  EXPECT_EQ(render_page(page_of(report)), render_page(page_of(report_of())));
}

/// A weight of 2 is the row twice, in scores and curves.
TEST(ClassReport, WeighsRows) {
  const BothSides sides = sides_at(rows().inputs());
  ClassReport weighted(model(), {.largest_weight = 2e200});
  weighted.add(sides.both(), rows().targets(), std::vector<double>(120, 2e200));
  const Page page = page_of(weighted);
  const Page plain = page_of(report_of());
  for (const char* title : {"Reliability diagram", "Risk against coverage", "How sure the predictions are"}) {
    const std::vector<Mark> found = chart_of(page, title).marks;
    const std::vector<Mark> expected = chart_of(plain, title).marks;
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (std::size_t k = 0; k < found[i].y.size(); ++k) EXPECT_NEAR(found[i].y[k], expected[i].y[k], 1e-9) << title;
    }
  }
  EXPECT_EQ(page.lead, plain.lead);
}

TEST(ClassReport, ShowsPredictionsWithoutTargets) {
  const ClassReport report = report_of({.has_targets = false});
  const Page page = page_of(report);
  EXPECT_THAT(titles_of(page), ElementsAre("The predictions", "What new rows may expect", "Predictions of moon",
                                           "How the model was made"));
  EXPECT_THAT(page.lead, HasSubstr("which have no moon to compare it with"));
  EXPECT_EQ(section_of(page, "Predictions of moon").figures.size(), 3U);
  EXPECT_THAT(section_of(page, "Predictions of moon").tables.front().headings, Not(testing::Contains("observed")));
  const ClassPredictive predictive = sides_at(rows().inputs()).extended;
  std::size_t upper = 0;
  for (std::size_t row = 0; row < 120; ++row) upper += predictive.predicted(row) == 0 ? 1 : 0;
  const Table table = section_of(page, "The predictions").tables.front();
  const auto line = std::ranges::find(table.rows, "upper", [](const auto& cells) { return cells[0]; });
  ASSERT_NE(line, table.rows.end());
  EXPECT_EQ((*line)[1], std::to_string(upper));
}

TEST(ClassReport, TellsForeignRows) {
  for (const bool has_targets : {true, false}) {
    ClassReport report = report_of({.has_targets = has_targets, .has_foreign = true});
    Matrix far(30, 2);
    for (std::size_t row = 0; row < 30; ++row) far(row, 0) = far(row, 1) = 3 + 0.05 * static_cast<double>(row);
    const BothSides foreign = sides_at(far);
    report.add_foreign(foreign.both());
    const Page page = page_of(report);
    const ForeignScores expected = foreign_auroc(sides_at(rows().inputs()).extended, foreign.extended);
    EXPECT_THAT(section_of(page, "Foreign rows").paragraphs.front(), HasSubstr(percent(expected.by_epistemic)));
    const Chart chart = chart_of(page, "Foreign rows by ignorance");
    for (const char* label : {"rows of the data", "foreign rows"}) {
      const Mark bars = mark_of(chart, label);
      EXPECT_NEAR(std::accumulate(bars.y.begin(), bars.y.end(), 0.0), 100, 1e-9) << label;
    }
    if (!has_targets) continue;
    EXPECT_EQ(report.comparison().extended.foreign->by_entropy, expected.by_entropy);
  }
}

TEST(ClassReport, LeavesOutTheClassicalEnsembleOfItself) {
  const Ensemble narrow = widen(model(), two_moons(40, 3), {.posterior = PosteriorKind::delta});
  ClassReport report(narrow, {});
  const ClassPredictive predictive = narrow.predict_classes(rows().inputs());
  report.add({predictive, predictive}, rows().targets(), {});
  const Page page = page_of(report);
  for (const char* title : {"Reliability diagram", "Risk against coverage"}) {
    for (const Mark& mark : chart_of(page, title).marks) EXPECT_THAT(mark.label, Not(HasSubstr("classical")));
  }
}

TEST(ClassReport, NeedsRows) {
  for (const bool has_targets : {true, false}) {
    const ClassReport report(model(), {.has_targets = has_targets});
    EXPECT_THAT([&] { report.page({.model = "m", .data = "d"}, {}); },
                test::Fails(ErrorCode::data, "expected at least 1"));
  }
}

}  // namespace
}  // namespace credens::report
