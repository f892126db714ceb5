// SPDX-License-Identifier: Apache-2.0

#include "cli/comparison.hpp"

#include "cli/columns.hpp"
#include "cli/expectations.hpp"
#include "model/names.hpp"

namespace credens::cli {

namespace {

void append(const Matrix& rows, std::vector<double>& values) {
  values.insert(values.end(), rows.values().begin(), rows.values().end());
}

void append(const MixtureComponents& block, MixtureComponents& all) {
  all.rows += block.rows;
  all.outputs = block.outputs;
  all.weights = block.weights;
  for (std::vector<double> MixtureComponents::*part :
       {&MixtureComponents::mean, &MixtureComponents::aleatoric_variance, &MixtureComponents::epistemic_variance}) {
    (all.*part).insert((all.*part).end(), (block.*part).begin(), (block.*part).end());
  }
}

}  // namespace

void comparison_arguments(Arguments& arguments, ComparisonArguments& comparison) {
  row_arguments(arguments, comparison.rows);
  columns_option(arguments, "--target", comparison.target,
                 "Columns with what was observed, where they are not called as in training");
  columns_option(arguments, "--truth", comparison.truth, "Columns with noise-free values, one per output");
  column_option(arguments, "--weight", comparison.weight, "Column of row weights");
  arguments.group("Scores");
  arguments.option("--level", "P", comparison.level, "Probability of the intervals", probability());
  arguments.option("--interval", "KIND", comparison.interval,
                   "gaussian: mean +- z standard deviations; mixture: central quantiles of the exact mixture",
                   one_of<IntervalKind>());
}

void check_arguments(const ComparisonArguments& arguments) {
  check_arguments(arguments.rows);
  if (arguments.rows.outputs.empty()) return;
  base::require(arguments.truth.empty(), ErrorCode::usage, "--truth names columns, but --outputs gives arrays");
  base::require(arguments.weight.empty(), ErrorCode::usage, "--weight names a column, but --outputs gives arrays");
}

Observations observe(const Ensemble& ensemble, RowStream& stream, const ComparisonArguments& arguments) {
  Observations all;
  MixtureComponents predictions;
  while (const Rows* rows = stream.next()) {
    append(targets_of(ensemble, *rows, arguments.target), all.targets);
    if (!arguments.truth.empty()) {
      append(columns_per_output(ensemble, rows->table, arguments.truth, "--truth"), all.truth);
    }
    const std::vector<double> given =
        rows->arrays ? rows->arrays->row_weights : weights_of(rows->table, arguments.weight);
    all.weights.insert(all.weights.end(), given.begin(), given.end());
    append(predict(ensemble, *rows).components(), predictions);
  }
  all.predictive = Predictive(std::move(predictions));
  return all;
}

ScoreOptions score_options(const Observations& observations, const ComparisonArguments& arguments) {
  const std::size_t outputs = observations.predictive.outputs();
  return {.level = arguments.level,
          .interval = arguments.interval,
          .weights = observations.weights,
          .truth = {observations.truth.data(), observations.truth.size() / outputs, outputs}};
}

}  // namespace credens::cli
