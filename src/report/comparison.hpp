// SPDX-License-Identifier: Apache-2.0
//
// A model beside the classical deep ensemble that it contains, both judged by what was observed.

#pragma once

#include <credens/ensemble.hpp>
#include <credens/score.hpp>

#include <vector>

#include "report/document.hpp"
#include "report/table.hpp"

namespace credens::report {

/// The scores of the model as it is and with its members' own width taken away.
struct Comparison {
  std::size_t rows = 0;
  Scores classical;
  Scores extended;
};

/// Of what the ensemble predicted. `target_std` of the options is the ensemble's.
Comparison compare(const Ensemble& ensemble, const Predictive& predictive, MatrixView targets, ScoreOptions options);

/// One table per score set: that of all outputs first, then, where there are several, one per output.
std::vector<Table> comparison_tables(const Comparison& comparison, const Ensemble& ensemble, double level);

/// The document of `evaluate --json`.
Json comparison_json(const Comparison& comparison, const Ensemble& ensemble, double level);

/// All scores of one prediction, by the names of `evaluate --json`.
Json scores_json(const Scores& scores);

}  // namespace credens::report
