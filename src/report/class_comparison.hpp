// SPDX-License-Identifier: Apache-2.0
//
// A classification model beside the classical deep ensemble that it contains, both judged by what was observed.

#pragma once

#include <credens/class_score.hpp>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/table.hpp"
#include "score/class_scorer.hpp"
#include "score/foreign_scorer.hpp"

namespace credens::report {

/// Shares of the surest rows whose error is shown.
constexpr std::array<double, 5> risk_shares = {0.5, 0.8, 0.9, 0.95, 1};

/// Error among the surest 1 %, 2 %, ..., 100 % of the rows.
using RiskByPercent = std::array<double, 100>;

RiskByPercent risk_by_percent(const RiskCurve& curve);

/// One of the two sides of a comparison.
struct ClassJudgement {
  ClassScores scores = {};
  Matrix confusion = {};                             ///< [C x C]: true class by row, predicted by column
  std::array<double, risk_shares.size()> risk = {};  ///< error among the surest `risk_shares`
  RiskByPercent risk_by_percent = {};                ///< the same for charts
  std::optional<ForeignScores> foreign = {};         ///< with foreign rows
};

/// The scores of the model as it is (extended), and with its members' own width taken away (classical).
struct ClassComparison {
  std::size_t rows = 0;
  ClassJudgement classical;
  ClassJudgement extended;
  std::optional<double> training_share = {};  ///< share of the rows that the model was trained on, where it is known
};

/// Predictions of both sides for the same rows.
struct ClassPredictions {
  const ClassPredictive& classical;
  const ClassPredictive& extended;
};

struct ClassComparerOptions {
  RiskOrder risk_order = RiskOrder::confidence;
  bool has_foreign = false;   ///< foreign rows will be added
  double largest_weight = 1;  ///< that of RowWeights, over all rows
};

/// Compares predictions that arrive in blocks of rows.
class ClassComparer {
 public:
  ClassComparer(std::size_t classes, const ClassComparerOptions& options);

  void add(const ClassPredictions& rows, MatrixView targets, std::span<const double> weights) {
    add_scored(scored(rows, targets, weights));
  }
  void add_foreign(const ClassPredictions& rows) { add_scored_foreign(scored_foreign(rows)); }
  ClassComparison comparison() const;  ///< throws data where foreign rows were announced and none came

  /// `add` in two steps, the first of which may run in another process.
  std::string scored(const ClassPredictions& rows, MatrixView targets, std::span<const double> weights) const;
  void add_scored(std::string_view bytes);

  /// `add_foreign` in two steps.
  std::string scored_foreign(const ClassPredictions& rows) const;
  void add_scored_foreign(std::string_view bytes);

 private:
  struct Side {
    scoring::ClassScorer scorer;
    std::optional<scoring::ForeignScorer> foreign;

    void add(const scoring::ClassBlockScores& block);
    ClassJudgement judgement() const;
  };

  std::size_t classes_;
  Side classical_;
  Side extended_;
};

/// How well foreign rows are told, a line for each uncertainty. Both sides have foreign rows.
std::vector<std::vector<std::string>> foreign_lines(const ForeignScores& classical, const ForeignScores& extended);

/// How a model's classes and posterior are called.
struct ClassModelNames {
  std::vector<std::string> classes = {};
  std::string posterior = {};
};

/// Scores, the error among the surest rows and, for at most 12 classes, the confusion matrix of the extended side.
std::vector<Table> class_comparison_tables(const ClassComparison& comparison, const ClassModelNames& names);

/// The document of `evaluate --json`; `confusion` is that of the extended side.
Json class_comparison_json(const ClassComparison& comparison, const ClassModelNames& names);

/// All scores of one prediction, by the names of `evaluate --json`.
Json class_scores_json(const ClassScores& scores);

}  // namespace credens::report
