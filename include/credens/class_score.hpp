// SPDX-License-Identifier: Apache-2.0
//
// Scores of class probabilities against what was observed. docs/method.md defines each of them.
//
// Targets are [N x 1] class indices, whole numbers from 0 to C - 1, or [N x C] counts (or shares) of each row's
// classes: such a row weighs as much as the sum of its counts.

#pragma once

#include <credens/class_predictive.hpp>

#include <optional>
#include <span>
#include <vector>

namespace credens {

/// The uncertainty by which rows are sorted, the surest first.
enum class RiskOrder {
  confidence,  ///< 1 - largest probability
  epistemic,   ///< mutual information of label and weights
};

struct ClassScoreOptions {
  std::span<const double> weights = {};          ///< row weights or none
  RiskOrder risk_order = RiskOrder::confidence;  ///< for aurc and risk_coverage
};

/// Means over rows, weighted by the rows' weights; entropies and log loss in nats.
struct ClassScores {
  double log_loss = 0;
  double brier = 0;
  double accuracy = 0;
  double balanced_accuracy = 0;
  std::optional<double> auroc;  ///< none where only one class is present
  double ece = 0;
  double classwise_ece = 0;
  double aurc = 0;
  double entropy = 0;
  double aleatoric = 0;
  double epistemic = 0;
};

/// Throws data for no rows, fewer than 2 classes, other shapes than [N x 1] or [N x C], labels that are no class,
/// counts that are negative or all zero, values that are not finite, and weights that are negative or all zero.
ClassScores score(const ClassPredictive& predictive, MatrixView targets, const ClassScoreOptions& options = {});

/// [C x C] weighted counts: true class by row, predicted class by column. Throws as score.
Matrix confusion(const ClassPredictive& predictive, MatrixView targets, const ClassScoreOptions& options = {});

/// Selective risk: share of wrong classes among the surest rows. Rows of equal uncertainty enter together.
struct RiskCurve {
  std::vector<double> coverage = {};  ///< share of the rows so far, by weight; rises to 1
  std::vector<double> risk = {};      ///< share of wrong classes among these
  double area = 0;                    ///< mean of `risk` over the rows

  /// Risk of the surest `share` of the rows; rows at the edge count in part. Throws usage unless 0 < share <= 1.
  double at(double share) const;
};

/// Throws as score.
RiskCurve risk_coverage(const ClassPredictive& predictive, MatrixView targets, const ClassScoreOptions& options = {});

/// How well foreign rows are told from own ones: probability that a foreign row has the larger uncertainty, ties at
/// half.
struct ForeignScores {
  double by_epistemic = 0;
  double by_entropy = 0;
  double by_confidence = 0;  ///< by 1 - largest probability
};

/// Throws data where one of the two has no rows, or values that are not finite.
ForeignScores foreign_auroc(const ClassPredictive& own, const ClassPredictive& foreign);

}  // namespace credens
