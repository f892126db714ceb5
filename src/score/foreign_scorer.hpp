// SPDX-License-Identifier: Apache-2.0
//
// How well the uncertainty of class probabilities tells foreign rows from own ones; rows arrive in blocks.

#pragma once

#include <credens/class_score.hpp>

#include <array>
#include <span>
#include <vector>

#include "score/class_score_fields.hpp"
#include "score/ranked_weights.hpp"

namespace credens::scoring {

struct RowUncertainty {
  double epistemic;
  double entropy;
  double doubt;  ///< 1 - largest probability
};

/// Throws data for values that are not finite, or of another number than there are rows.
std::vector<RowUncertainty> uncertainty_of(const ClassPredictive& predictive);

/// Memory: 72 bytes per row, up to 2^20 / 3 rows, and then no more (RankedWeights).
class ForeignScorer {
 public:
  ForeignScorer();

  void add_own(const ClassRowScore& row);                                                    ///< counts by its weight
  void add_own(std::span<const RowUncertainty> rows, std::span<const double> weights = {});  ///< none: each counts once
  void add_foreign(std::span<const RowUncertainty> rows);

  ForeignScores scores() const;  ///< throws data where there are no own or no foreign rows

  /// The weights of foreign (first) and own rows (second) by their uncertainty.
  std::vector<RankedPair> by_epistemic() const { return ranks_[0].ascending(); }
  std::vector<RankedPair> by_entropy() const { return ranks_[1].ascending(); }

 private:
  void add(const RowUncertainty& row, double foreign_weight, double own_weight);

  std::array<RankedWeights, 3> ranks_;  ///< by epistemic, entropy and doubt; the first group is foreign
  bool has_own_ = false;
  bool has_foreign_ = false;
};

}  // namespace credens::scoring
