// SPDX-License-Identifier: Apache-2.0

#include "cli/comparison.hpp"

#include "cli/columns.hpp"
#include "cli/expectations.hpp"
#include "model/names.hpp"
#include "score/row_weights.hpp"

namespace credens::cli {

namespace {

std::vector<double> row_weights(const Rows& rows, const ComparisonArguments& arguments) {
  return rows.arrays ? rows.arrays->row_weights : weights_of(rows.table, arguments.weight);
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

double largest_weight(RowStream& stream, const ComparisonArguments& arguments) {
  scoring::RowWeights weights;
  stream.rewind();
  while (const Rows* rows = stream.next()) {
    const std::vector<double> given = row_weights(*rows, arguments);
    if (given.empty()) break;
    weights.add(given);
  }
  return weights.largest();
}

void for_observations(const Ensemble& ensemble, RowStream& stream, const ComparisonArguments& arguments,
                      const std::function<void(const scoring::ScoredRows&)>& take,
                      const std::function<bool(std::size_t, const Rows&)>& wants) {
  stream.rewind();
  std::size_t number = 0;
  while (const Rows* rows = stream.next()) {
    if (!wants(number++, *rows)) continue;
    const Matrix targets = targets_of(ensemble, *rows, arguments.target);
    const Matrix truth =
        arguments.truth.empty() ? Matrix() : columns_per_output(ensemble, rows->table, arguments.truth, "--truth");
    const std::vector<double> weights = row_weights(*rows, arguments);
    const Predictive predictive = predict(ensemble, *rows);
    take({.predictive = predictive, .targets = targets, .weights = weights, .truth = truth});
  }
}

ScoreOptions score_options(const ComparisonArguments& arguments) {
  return {.level = arguments.level, .interval = arguments.interval};
}

}  // namespace credens::cli
