// SPDX-License-Identifier: Apache-2.0

#include "report/class_comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "score/class_score_fields.hpp"
#include "support/error_matchers.hpp"
#include "unit/score/class_rows.hpp"

namespace credens::report {
namespace {

using scoring::ClassProblem;
using scoring::random_class_problem;
using scoring::select_rows;
using testing::ElementsAre;
using testing::HasSubstr;

const ClassModelNames colours{.classes = {"blue", "green", "red"}, .posterior = "full"};

/// Predictions of two models for the same rows, and for foreign ones.
struct Sides {
  ClassProblem classical = random_class_problem({.rows = 30, .seed = 1});
  ClassProblem extended = random_class_problem({.rows = 30, .seed = 2});
  ClassPredictive foreign_classical = random_class_problem({.rows = 20, .seed = 3}).predictive;
  ClassPredictive foreign_extended = random_class_problem({.rows = 20, .seed = 4}).predictive;

  ClassPredictions own() const { return {classical.predictive, extended.predictive}; }
  ClassPredictions foreign() const { return {foreign_classical, foreign_extended}; }
  MatrixView targets() const { return extended.targets; }
};

ClassComparison comparison_of(const Sides& sides, bool has_foreign) {
  ClassComparer comparer(3, {.has_foreign = has_foreign});
  comparer.add(sides.own(), sides.targets(), {});
  if (has_foreign) comparer.add_foreign(sides.foreign());
  return comparer.comparison();
}

TEST(ClassComparer, ScoresEachSideByItself) {
  const Sides sides;
  const ClassComparison comparison = comparison_of(sides, true);
  EXPECT_EQ(comparison.rows, 30U);
  const ClassScores classical = score(sides.classical.predictive, sides.targets());
  const ClassScores extended = score(sides.extended.predictive, sides.targets());
  EXPECT_NE(classical.log_loss, extended.log_loss);
  EXPECT_EQ(class_scores_json(comparison.classical.scores), class_scores_json(classical));
  EXPECT_EQ(class_scores_json(comparison.extended.scores), class_scores_json(extended));
  EXPECT_EQ(comparison.classical.confusion, confusion(sides.classical.predictive, sides.targets()));
  EXPECT_EQ(comparison.extended.confusion, confusion(sides.extended.predictive, sides.targets()));
  EXPECT_EQ(comparison.extended.risk[0], risk_coverage(sides.extended.predictive, sides.targets()).at(0.5));
  EXPECT_NEAR(comparison.classical.risk.back(), 1 - classical.accuracy, 1e-15);
  const ForeignScores foreign = foreign_auroc(sides.classical.predictive, sides.foreign_classical);
  EXPECT_EQ(comparison.classical.foreign->by_epistemic, foreign.by_epistemic);
  EXPECT_EQ(comparison.extended.foreign->by_confidence,
            foreign_auroc(sides.extended.predictive, sides.foreign_extended).by_confidence);
}

TEST(ClassComparer, SortsRowsByTheOrderThatIsAskedFor) {
  const Sides sides;
  ClassComparer comparer(3, {.risk_order = RiskOrder::epistemic});
  comparer.add(sides.own(), sides.targets(), {});
  EXPECT_EQ(comparer.comparison().extended.scores.aurc,
            score(sides.extended.predictive, sides.targets(), {.risk_order = RiskOrder::epistemic}).aurc);
}

TEST(ClassComparer, TakesBlocksThatOthersScored) {
  const Sides sides;
  const ClassComparer elsewhere(3, {.has_foreign = true, .largest_weight = 2});
  ClassComparer comparer(3, {.has_foreign = true, .largest_weight = 2});
  std::vector<double> weights(30, 2.0);
  weights[4] = 0.5;
  for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{0, 11}, {11, 19}}) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < count; ++i) rows.push_back(first + i);
    const ClassPredictive classical = select_rows(sides.classical.predictive, rows);
    const ClassPredictive extended = select_rows(sides.extended.predictive, rows);
    comparer.add_scored(elsewhere.scored({classical, extended}, sides.targets().row_block(first, count),
                                         std::span(weights).subspan(first, count)));
  }
  comparer.add_scored_foreign(elsewhere.scored_foreign(sides.foreign()));
  ClassComparer whole(3, {.has_foreign = true, .largest_weight = 2});
  whole.add(sides.own(), sides.targets(), weights);
  whole.add_foreign(sides.foreign());
  EXPECT_EQ(class_comparison_json(comparer.comparison(), colours), class_comparison_json(whole.comparison(), colours));
}

TEST(ClassComparer, RefusesForeignRowsThatDoNotFit) {
  const Sides sides;
  ClassComparer without(3, {});
  EXPECT_THAT([&] { without.add_foreign(sides.foreign()); },
              test::Fails(ErrorCode::failure, "came to a comparison that was made without them"));
  ClassComparer other(4, {.has_foreign = true});
  EXPECT_THAT([&] { other.add_foreign(sides.foreign()); },
              test::Fails(ErrorCode::data, "foreign rows have 3 classes, expected 4"));
  ClassComparer none(3, {.has_foreign = true});
  none.add(sides.own(), sides.targets(), {});
  EXPECT_THAT([&] { none.comparison(); }, test::Fails(ErrorCode::data, "no foreign rows"));
}

std::vector<std::string> keys_of(const Json& document) {
  std::vector<std::string> keys;
  for (const auto& item : document.items()) keys.push_back(item.key());
  return keys;
}

TEST(ClassComparisonJson, HasAllScoresOfBothSides) {
  ClassComparison comparison = comparison_of({}, false);
  comparison.training_share = 0.25;
  const Json document = class_comparison_json(comparison, colours);
  EXPECT_THAT(keys_of(document),
              ElementsAre("rows", "classes", "posterior", "classical", "extended", "confusion", "training_share"));
  EXPECT_EQ(document["rows"], 30);
  EXPECT_EQ(document["classes"], Json({"blue", "green", "red"}));
  EXPECT_EQ(document["posterior"], "full");
  EXPECT_EQ(document["training_share"], 0.25);
  EXPECT_THAT(keys_of(document["classical"]),
              ElementsAre("log_loss", "brier", "accuracy", "balanced_accuracy", "auroc", "ece", "classwise_ece", "aurc",
                          "entropy", "aleatoric", "epistemic", "selective_risk"));
  EXPECT_EQ(document["extended"]["brier"], comparison.extended.scores.brier);
  EXPECT_EQ(document["classical"]["selective_risk"]["share"], Json({0.5, 0.8, 0.9, 0.95, 1.0}));
  EXPECT_EQ(document["classical"]["selective_risk"]["risk"][1], comparison.classical.risk[1]);
  EXPECT_EQ(document["confusion"][2][1], comparison.extended.confusion(2, 1));
}

TEST(ClassComparisonJson, HasForeignRowsWhereThereAreSome) {
  const ClassComparison comparison = comparison_of({}, true);
  const Json document = class_comparison_json(comparison, colours);
  EXPECT_EQ(document["classical"]["foreign_auroc"]["epistemic"], comparison.classical.foreign->by_epistemic);
  EXPECT_EQ(document["extended"]["foreign_auroc"]["entropy"], comparison.extended.foreign->by_entropy);
  EXPECT_EQ(document["extended"]["foreign_auroc"]["confidence"], comparison.extended.foreign->by_confidence);
}

TEST(ClassComparisonJson, HasNullForAnAurocOfOneClass) {
  EXPECT_EQ(class_scores_json(ClassScores{})["auroc"], nullptr);
}

/// Two rows whose numbers can be checked by hand: the first right with 3/4, the second wrong with 1/2 against 1/2.
ClassComparison small_comparison(bool has_foreign) {
  ClassPredictive predictive;
  scoring::append_class_row(predictive, {0.75, 0.25}, 0);
  scoring::append_class_row(predictive, {0.5, 0.5}, 0.5);
  const Matrix targets(2, 1, std::vector<double>{0, 1});
  ClassComparer comparer(2, {.has_foreign = has_foreign});
  comparer.add({predictive, predictive}, targets, {});
  if (has_foreign) comparer.add_foreign({predictive, predictive});
  return comparer.comparison();
}

TEST(ClassComparisonTables, AreTextForPeople) {
  const std::vector<Table> tables =
      class_comparison_tables(small_comparison(true), {.classes = {"no", "yes"}, .posterior = "full"});
  ASSERT_EQ(tables.size(), 3U);
  EXPECT_EQ(table_text(tables[0]),
            "2 rows, 2 classes\n"
            "                                  classical  extended (full)\n"
            "--------------------------------  ---------  ---------------\n"
            "log loss                             0.4904           0.4904\n"
            "Brier score                          0.3125           0.3125\n"
            "accuracy                             50.0 %           50.0 %\n"
            "  balanced over the classes          50.0 %           50.0 %\n"
            "AUROC                                 1.000            1.000\n"
            "calibration error (ECE)              0.3750           0.3750\n"
            "  of each class, mean                0.3750           0.3750\n"
            "area under the risk curve (AURC)     0.2500           0.2500\n"
            "entropy, mean                        0.6277           0.6277\n"
            "  aleatoric                          0.4545           0.4545\n"
            "  epistemic                          0.1733           0.1733\n"
            "foreign rows, AUROC by epistemic     0.5000           0.5000\n"
            "  by entropy                         0.5000           0.5000\n"
            "  by confidence                      0.5000           0.5000\n");
  EXPECT_EQ(table_text(tables[1]),
            "Wrong classes among the surest rows\n"
            "share of rows  classical  extended (full)\n"
            "-------------  ---------  ---------------\n"
            "50.0 %             0.0 %            0.0 %\n"
            "80.0 %            37.5 %           37.5 %\n"
            "90.0 %            44.4 %           44.4 %\n"
            "95.0 %            47.4 %           47.4 %\n"
            "100.0 %           50.0 %           50.0 %\n");
  EXPECT_EQ(table_text(tables[2]),
            "True class by row, predicted class by column (extended)\n"
            "     no  yes\n"
            "---  --  ---\n"
            "no    1    0\n"
            "yes   1    0\n");
}

TEST(ClassComparisonTables, LeaveOutForeignRowsAndLargeConfusionMatrices) {
  const std::vector<Table> tables =
      class_comparison_tables(small_comparison(false), {.classes = {"no", "yes"}, .posterior = "full"});
  EXPECT_THAT(table_text(tables.front()), testing::Not(HasSubstr("foreign")));
  const ClassProblem many = random_class_problem({.rows = 10, .classes = 13});
  ClassComparer comparer(13, {});
  comparer.add({many.predictive, many.predictive}, many.targets, {});
  const ClassModelNames names{.classes = std::vector<std::string>(13, "c"), .posterior = "full"};
  EXPECT_EQ(class_comparison_tables(comparer.comparison(), names).size(), 2U);
}

TEST(ClassComparisonTables, ShowADashWhereThereIsNoAuroc) {
  ClassComparison comparison = small_comparison(false);
  comparison.classical.scores.auroc = {};
  const Table table = class_comparison_tables(comparison, {.classes = {"no", "yes"}, .posterior = "full"}).front();
  EXPECT_THAT(table.rows[4], ElementsAre("AUROC", "-", "1.000"));
}

TEST(ClassComparisonTables, RefuseOtherNumbersOfNames) {
  EXPECT_THAT([] { class_comparison_tables(small_comparison(false), colours); },
              test::Fails(ErrorCode::failure, "there are 3 names of classes, expected 2"));
}

}  // namespace
}  // namespace credens::report
