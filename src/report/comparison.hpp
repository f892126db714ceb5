// SPDX-License-Identifier: Apache-2.0
//
// A model beside the classical deep ensemble that it contains, both judged by what was observed.

#pragma once

#include <credens/ensemble.hpp>
#include <credens/score.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "report/document.hpp"
#include "report/table.hpp"
#include "score/scorer.hpp"

namespace credens::report {

/// The scores of the model as it is and with its members' own width taken away.
struct Comparison {
  std::size_t rows = 0;
  Scores classical;
  Scores extended;
};

/// Of what the ensemble predicted, block by block.
class Comparer {
 public:
  /// `target_std` of the options is the ensemble's; otherwise as scoring::Scorer.
  Comparer(const Ensemble& ensemble, const ScoreOptions& options, double largest_weight);

  void add(const scoring::ScoredRows& rows);
  Comparison comparison() const;

  /// `add` in two steps, of which the first can be another process's.
  std::string scored(const scoring::ScoredRows& rows) const;
  void add_scored(std::string_view bytes);

 private:
  scoring::Scorer classical_;
  scoring::Scorer extended_;
};

/// The same of all rows at once, with the weights and the truth of the options.
Comparison compare(const Ensemble& ensemble, const Predictive& predictive, MatrixView targets,
                   const ScoreOptions& options);

/// One table per score set: that of all outputs first, then, where there are several, one per output.
std::vector<Table> comparison_tables(const Comparison& comparison, const Ensemble& ensemble, double level);

/// The document of `evaluate --json`.
Json comparison_json(const Comparison& comparison, const Ensemble& ensemble, double level);

/// All scores of one prediction, by the names of `evaluate --json`.
Json scores_json(const Scores& scores);

}  // namespace credens::report
