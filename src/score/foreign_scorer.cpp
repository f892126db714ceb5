// SPDX-License-Identifier: Apache-2.0

#include "score/foreign_scorer.hpp"

#include "base/check.hpp"
#include "score/class_checks.hpp"

namespace credens::scoring {

namespace {

constexpr std::size_t most_foreign_held = (std::size_t{1} << 20) / 3;

}  // namespace

std::vector<RowUncertainty> uncertainty_of(const ClassPredictive& predictive) {
  check_class_predictive(predictive);
  std::vector<RowUncertainty> rows;
  for (std::size_t row = 0; row < predictive.rows(); ++row) {
    rows.push_back({.epistemic = predictive.epistemic[row],
                    .entropy = predictive.entropy[row],
                    .doubt = doubt_at(predictive, row)});
  }
  return rows;
}

ForeignScorer::ForeignScorer()
    : ranks_{RankedWeights(most_foreign_held), RankedWeights(most_foreign_held), RankedWeights(most_foreign_held)} {}

void ForeignScorer::add(const RowUncertainty& row, double foreign_weight, double own_weight) {
  ranks_[0].add(row.epistemic, foreign_weight, own_weight);
  ranks_[1].add(row.entropy, foreign_weight, own_weight);
  ranks_[2].add(row.doubt, foreign_weight, own_weight);
  has_foreign_ = has_foreign_ || foreign_weight > 0;
  has_own_ = has_own_ || own_weight > 0;
}

void ForeignScorer::add_own(const ClassRowScore& row) {
  add({.epistemic = row.epistemic, .entropy = row.entropy, .doubt = row.doubt}, 0, row.weight);
}

void ForeignScorer::add_own(std::span<const RowUncertainty> rows, std::span<const double> weights) {
  for (std::size_t i = 0; i < rows.size(); ++i) add(rows[i], 0, math::weight_at(weights, i));
}

void ForeignScorer::add_foreign(std::span<const RowUncertainty> rows) {
  for (const RowUncertainty& row : rows) add(row, 1, 0);
}

ForeignScores ForeignScorer::scores() const {
  base::require(has_own_, ErrorCode::data, "there are no own rows to compare foreign ones with, expected at least 1");
  base::require(has_foreign_, ErrorCode::data, "there are no foreign rows to tell from own ones, expected at least 1");
  return {.by_epistemic = mann_whitney(ranks_[0].ascending()),
          .by_entropy = mann_whitney(ranks_[1].ascending()),
          .by_confidence = mann_whitney(ranks_[2].ascending())};
}

}  // namespace credens::scoring

namespace credens {

ForeignScores foreign_auroc(const ClassPredictive& own, const ClassPredictive& foreign) {
  scoring::ForeignScorer scorer;
  scorer.add_own(scoring::uncertainty_of(own));
  scorer.add_foreign(scoring::uncertainty_of(foreign));
  return scorer.scores();
}

}  // namespace credens
