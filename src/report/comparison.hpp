// SPDX-License-Identifier: Apache-2.0
//
// A model beside the classical deep ensemble that it contains, both judged by what was observed.

#pragma once

#include <credens/ensemble.hpp>
#include <credens/score.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/table.hpp"
#include "score/scorer.hpp"

namespace credens::report {

/// The scores of the model as it is (extended), and with its members' own width taken away (classical).
struct Comparison {
  std::size_t rows = 0;
  Scores classical;
  Scores extended;
  std::optional<double> training_share = {};  ///< share of the rows that the model was trained on, where it is known
};

/// "These are rows of training: " and what follows from it, or nothing where none of the rows are.
std::string training_warning(const std::optional<double>& training_share,
                             std::string_view consequence =
                                 "scores of rows that the model has seen say nothing of new rows");

/// Compares predictions of an ensemble that arrive in blocks of rows.
class Comparer {
 public:
  /// As scoring::Scorer, with the ensemble's standard deviations of the training targets.
  Comparer(const Ensemble& ensemble, const scoring::IntervalOptions& interval, double largest_weight);

  void add(const scoring::Observations& rows) { add_scored(scored(rows)); }
  Comparison comparison() const;

  /// `add` in two steps, the first of which may run in another process.
  std::string scored(const scoring::Observations& rows) const;
  void add_scored(std::string_view bytes);

 private:
  scoring::Scorer classical_;
  scoring::Scorer extended_;
};

/// One table per score set: that of all outputs first, then, where there are several, one per output.
std::vector<Table> comparison_tables(const Comparison& comparison, const Ensemble& ensemble, double level);

/// The document of `evaluate --json`.
Json comparison_json(const Comparison& comparison, const Ensemble& ensemble, double level);

/// All scores of one prediction, by the names of `evaluate --json`.
Json scores_json(const Scores& scores);

}  // namespace credens::report
