// SPDX-License-Identifier: Apache-2.0
//
// A model against what was observed: what `evaluate` and `report` share.

#pragma once

#include <credens/ensemble.hpp>
#include <credens/score.hpp>

#include <string>
#include <vector>

#include "cli/rows.hpp"
#include "report/comparison.hpp"

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

/// As the arguments say; their `truth` and weights are those observed.
ScoreOptions score_options(const Observations& observations, const ComparisonArguments& arguments);

}  // namespace credens::cli
