// SPDX-License-Identifier: Apache-2.0

#include <credens/score.hpp>

#include "score/row_weights.hpp"
#include "score/scorer.hpp"

namespace credens {

Scores score(const Predictive& predictive, MatrixView targets, const ScoreOptions& options) {
  scoring::RowWeights weights;
  weights.add(options.weights);
  scoring::Scorer scorer(predictive.outputs(), options, weights.largest());
  scorer.add({.predictive = predictive, .targets = targets, .weights = options.weights, .truth = options.truth});
  return scorer.scores();
}

}  // namespace credens
