// SPDX-License-Identifier: Apache-2.0
//
// A model against what was observed: what `evaluate` and `report` share.

#pragma once

#include <credens/ensemble.hpp>
#include <credens/score.hpp>

#include <string>
#include <vector>

#include "cli/rows.hpp"
#include "report/table.hpp"

namespace credens::cli {

struct ComparisonArguments {
  RowArguments rows;
  std::vector<std::string> target;
  std::vector<std::string> truth;
  std::string weight;
  double level = 0.95;
  IntervalKind interval = IntervalKind::gaussian;
};

void comparison_arguments(Arguments& arguments, ComparisonArguments& comparison);

/// Throws usage where arguments contradict each other. Before anything is read.
void check_arguments(const ComparisonArguments& arguments);

/// What scores are made of. The inputs are not kept.
struct Observations {
  Predictive predictive;
  std::vector<double> targets = {};
  std::vector<double> truth = {};
  std::vector<double> weights = {};

  MatrixView target_rows() const { return {targets.data(), predictive.rows(), predictive.outputs()}; }
};

Observations observe(const Ensemble& ensemble, RowStream& stream, const ComparisonArguments& arguments);

/// The scores of the model as it is and with its members' own width taken away.
struct Comparison {
  std::size_t rows = 0;
  Scores classical;
  Scores extended;
};

Comparison compare(const Ensemble& ensemble, const Observations& observations, const ComparisonArguments& arguments);

/// One table per score set: that of all outputs first, then, where there are several, one per output.
std::vector<report::Table> comparison_tables(const Comparison& comparison, const Ensemble& ensemble, double level);

}  // namespace credens::cli
