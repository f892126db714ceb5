// SPDX-License-Identifier: Apache-2.0

#include "cli/comparison.hpp"

#include "cli/columns.hpp"
#include "cli/expectations.hpp"
#include "model/ensemble_state.hpp"
#include "model/names.hpp"
#include "report/number.hpp"

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

report::Table comparison_table(const Scores& classical, const Scores& extended, const std::string& posterior) {
  report::Table table{.headings = {"", "classical", "extended (" + posterior + ")"}};
  const auto number = [](double value) { return report::significant(value, 4); };
  const auto add = [&](const char* name, auto&& text, auto member) {
    table.rows.push_back({name, text(classical.*member), text(extended.*member)});
  };
  const auto if_any = [](auto text) {
    return [text](const std::optional<double>& value) { return value ? text(*value) : "-"; };
  };
  add("root mean square error", number, &Scores::rmse);
  add("  in units of the training targets' std", if_any(number), &Scores::rmse_standardised);
  add("mean absolute error", number, &Scores::mae);
  add("coverage, total", report::percent, &Scores::total_coverage);
  add("coverage, epistemic only", report::percent, &Scores::epistemic_coverage);
  add("epistemic / aleatoric, mean", number, &Scores::epistemic_aleatoric_ratio);
  add("epistemic / aleatoric, median", number, &Scores::epistemic_aleatoric_ratio_median);
  add("negative log likelihood", number, &Scores::nll);
  add("  of the matched Gaussian", number, &Scores::nll_gaussian);
  add("CRPS", number, &Scores::crps);
  add("interval width", number, &Scores::interval_width);
  add("interval score", number, &Scores::interval_score);
  add("calibration error", number, &Scores::calibration_error);
  add("sharpness", number, &Scores::sharpness);
  if (extended.function_coverage) add("coverage of the truth", if_any(report::percent), &Scores::function_coverage);
  if (extended.function_rmse) add("root mean square error to the truth", if_any(number), &Scores::function_rmse);
  return table;
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

Comparison compare(const Ensemble& ensemble, const Observations& observations, const ComparisonArguments& arguments) {
  const Predictive& predictive = observations.predictive;
  const MatrixView targets = observations.target_rows();
  const MatrixView truth(observations.truth.data(), observations.truth.size() / predictive.outputs(),
                         predictive.outputs());
  const ScoreOptions options{.level = arguments.level,
                             .interval = arguments.interval,
                             .weights = observations.weights,
                             .truth = truth,
                             .target_std = ensemble.state().target_scaler.scale};
  return {.rows = predictive.rows(),
          .classical = score(predictive.classical(), targets, options),
          .extended = score(predictive, targets, options)};
}

std::vector<report::Table> comparison_tables(const Comparison& comparison, const Ensemble& ensemble, double level) {
  const std::string posterior(base::name_of(ensemble.posterior()));
  std::vector<report::Table> tables = {comparison_table(comparison.classical, comparison.extended, posterior)};
  tables.front().caption = fmt::format("{} rows, level {}", comparison.rows, base::to_text(level));
  for (std::size_t k = 0; k < comparison.extended.per_output.size(); ++k) {
    tables.push_back(
        comparison_table(comparison.classical.per_output[k], comparison.extended.per_output[k], posterior));
    tables.back().caption = "output " + ensemble.target_names()[k];
  }
  return tables;
}

}  // namespace credens::cli
