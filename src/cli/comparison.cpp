// SPDX-License-Identifier: Apache-2.0

#include "cli/comparison.hpp"

#include "cli/columns.hpp"
#include "cli/expectations.hpp"
#include "model/names.hpp"
#include "model/weights.hpp"

namespace credens::cli {

namespace {

Matrix truth_of(const Ensemble& ensemble, const Rows& rows, const std::vector<std::string>& columns) {
  if (columns.empty()) return {};
  base::require(columns.size() == ensemble.outputs(), ErrorCode::usage,
                "--truth gives {} columns, expected {}, one per output", columns.size(), ensemble.outputs());
  return data::select_columns(*rows.block.table, columns);
}

}  // namespace

void comparison_arguments(Arguments& arguments, ComparisonArguments& comparison) {
  row_arguments(arguments, comparison.rows);
  columns_option(arguments, "--target", comparison.rows.columns.target,
                 "Columns with what was observed, where they are not called as in training");
  columns_option(arguments, "--truth", comparison.truth, "Columns with noise-free values, one per output");
  column_option(arguments, "--weight", comparison.rows.columns.weight, "Column of row weights");
  arguments.group("Scores");
  arguments.option("--level", "P", comparison.interval.level, "Probability of the intervals", probability());
  arguments.option("--interval", "KIND", comparison.interval.kind,
                   "gaussian: mean +- z standard deviations; mixture: central quantiles of the exact mixture",
                   one_of<IntervalKind>());
}

void check_arguments(const ComparisonArguments& arguments) {
  check_arguments(arguments.rows);
  base::require(arguments.rows.outputs.empty() || arguments.truth.empty(), ErrorCode::usage,
                "--truth names columns, but --outputs gives arrays");
}

double largest_weight(RowStream& stream) {
  model::RowWeights weights;
  if (!stream.may_have_weights()) return weights.largest();
  while (const Rows* rows = stream.next()) {
    if (rows->block.weights.empty()) break;
    weights.add(rows->block.weights);
  }
  return weights.largest();
}

void for_observations(const Ensemble& ensemble, RowStream& stream, const ComparisonArguments& arguments,
                      const std::function<void(const scoring::Observations&)>& take,
                      const std::function<bool(std::size_t, const Rows&)>& wants) {
  stream.rewind();
  std::size_t number = 0;
  while (const Rows* rows = stream.next()) {
    if (!wants(number++, *rows)) continue;
    const Matrix truth = truth_of(ensemble, *rows, arguments.truth);
    const Predictive predictive = stream.predict();
    take({.predictive = predictive, .targets = rows->block.targets, .weights = rows->block.weights, .truth = truth});
  }
}

}  // namespace credens::cli
