// SPDX-License-Identifier: Apache-2.0
//
// Scores of class probabilities of rows that arrive in blocks: sums in the order of the rows, so that blocks of any
// size give the same bits.
//
// Memory: 24 bytes per row for AURC, and per row and class for AUROC (per row with two classes), each up to 2^20 such
// values and then no more (RankedWeights); everything else is sums, C^2 of them for the confusion matrix.

#pragma once

#include <credens/class_score.hpp>

#include <array>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "score/accumulators.hpp"
#include "score/class_score_fields.hpp"
#include "score/ranked_weights.hpp"

namespace credens::scoring {

/// Predictions of some rows and what was observed there.
struct ClassObservations {
  const ClassPredictive& predictive;
  MatrixView targets;                    ///< [n x 1] class indices or [n x C] counts
  std::span<const double> weights = {};  ///< n values or none
};

struct ClassBlockScores {
  std::vector<ClassRowScore> rows = {};
  std::vector<double> probability = {};    ///< [n x C]
  std::vector<double> class_weights = {};  ///< [n x C]: weight times count; none where each row has one label

  /// Weight of `row` that belongs to class `k`.
  double class_weight(std::size_t row, std::size_t k) const {
    if (class_weights.empty()) return rows[row].label == k ? rows[row].weight : 0;
    return class_weights[row * (class_weights.size() / rows.size()) + k];
  }
};

/// Scores of a block as bytes for another process, and back.
void append(const ClassBlockScores& block, std::string& bytes);
ClassBlockScores read_class_block_scores(base::ByteReader& reader);

/// Differences of weight that is right and weight that was announced, in equal bins of the probability.
class CalibrationBins {
 public:
  static constexpr std::size_t bins = 15;

  static constexpr double upper_edge(std::size_t bin) { return static_cast<double>(bin + 1) / bins; }
  static std::size_t bin_of(double probability) {
    std::size_t bin = 0;
    while (bin + 1 < bins && probability >= upper_edge(bin)) ++bin;
    return bin;
  }

  void add(double probability, double weight, double right) {
    gaps_[bin_of(probability)].add(right - weight * probability);
  }

  /// sum over bins of share * |accuracy - mean probability|.
  double error(double total_weight) const;

 private:
  std::array<math::CompensatedSum, bins> gaps_;
};

class ClassScorer {
 public:
  /// `largest_weight`: that of RowWeights, over all rows.
  ClassScorer(std::size_t classes, RiskOrder risk_order, double largest_weight);

  void add(const ClassObservations& rows) { add(score(rows)); }  ///< throws as credens::score

  /// `add` in two steps, the first of which may run in another process.
  ClassBlockScores score(const ClassObservations& rows) const;
  void add(const ClassBlockScores& block);

  std::size_t rows() const { return rows_; }
  ClassScores scores() const;
  Matrix confusion() const;  ///< in units of the given weights
  RiskCurve risk() const;

 private:
  void check_rows() const;
  void add_row(const ClassBlockScores& block, std::size_t index);
  std::vector<double> class_weights() const;  ///< [C]: weight of the rows of each class
  void add_accuracies(std::span<const double> class_weights, ClassScores& scores) const;
  std::optional<double> auroc(std::span<const double> class_weights) const;

  std::size_t classes_;
  RiskOrder risk_order_;
  double weight_unit_;  ///< weights are divided by it; a power of 2, so that nothing is rounded
  std::size_t rows_ = 0;
  math::CompensatedSum weight_;
  std::vector<WeightedMean> means_;                ///< by class_score_fields()
  std::vector<math::CompensatedSum> confusion_;    ///< [C x C]
  CalibrationBins confidence_;                     ///< of the largest probability
  std::vector<CalibrationBins> class_confidence_;  ///< of the probability of each class
  std::vector<RankedWeights> class_ranks_;         ///< rows of a class against the rest; of two classes the second
  RankedWeights risk_ranks_;                       ///< wrong rows against right ones
};

}  // namespace credens::scoring
