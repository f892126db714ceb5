// SPDX-License-Identifier: Apache-2.0

#include <credens/score.hpp>
#include <credens/store.hpp>

#include "cli/columns.hpp"
#include "cli/expectations.hpp"
#include "cli/print.hpp"
#include "cli/rows.hpp"
#include "cli/verbs.hpp"
#include "model/ensemble_state.hpp"
#include "model/names.hpp"
#include "report/number.hpp"
#include "report/table.hpp"

namespace credens::cli {

namespace {

struct EvaluateArguments {
  RowArguments rows;
  std::vector<std::string> target;
  std::vector<std::string> truth;
  std::string weight;
  double level = 0.95;
  IntervalKind interval = IntervalKind::gaussian;
  bool json = false;
};

/// The scores of the model as it is and with its members' own width taken away.
struct Comparison {
  std::size_t rows = 0;
  Scores classical;
  Scores extended;
};

void declare(Arguments& arguments, EvaluateArguments& evaluate) {
  row_arguments(arguments, evaluate.rows);
  columns_option(arguments, "--target", evaluate.target,
                 "Columns with what was observed, where they are not called as in training");
  columns_option(arguments, "--truth", evaluate.truth, "Columns with noise-free values, one per output");
  column_option(arguments, "--weight", evaluate.weight, "Column of row weights");
  arguments.group("Scores");
  arguments.option("--level", "P", evaluate.level, "Probability of the intervals", probability());
  arguments.option("--interval", "KIND", evaluate.interval,
                   "gaussian: mean +- z standard deviations; mixture: central quantiles of the exact mixture",
                   one_of<IntervalKind>());
  arguments.toggle("--json", evaluate.json, "Print JSON");
}

void check(const EvaluateArguments& arguments) {
  check_arguments(arguments.rows);
  if (arguments.rows.outputs.empty()) return;
  base::require(arguments.truth.empty(), ErrorCode::usage, "--truth names columns, but --outputs gives arrays");
  base::require(arguments.weight.empty(), ErrorCode::usage, "--weight names a column, but --outputs gives arrays");
}

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

/// What scores are made of. The inputs are not kept.
struct Observations {
  MixtureComponents predictions = {};
  std::vector<double> targets = {};
  std::vector<double> truth = {};
  std::vector<double> weights = {};

  void add(const Ensemble& ensemble, const Rows& rows, const EvaluateArguments& arguments) {
    append(targets_of(ensemble, rows, arguments.target), targets);
    if (!arguments.truth.empty()) append(columns_per_output(ensemble, rows.table, arguments.truth, "--truth"), truth);
    const std::vector<double> given = rows.arrays ? rows.arrays->row_weights : weights_of(rows.table, arguments.weight);
    weights.insert(weights.end(), given.begin(), given.end());
    append(predict(ensemble, rows).components(), predictions);
  }
};

Observations observe(const Ensemble& ensemble, const EvaluateArguments& arguments) {
  Observations observations;
  RowStream stream(ensemble, arguments.rows);
  while (const Rows* rows = stream.next()) observations.add(ensemble, *rows, arguments);
  return observations;
}

Comparison compare(const Ensemble& ensemble, const EvaluateArguments& arguments) {
  Observations observations = observe(ensemble, arguments);
  const Predictive predictive(std::move(observations.predictions));
  const MatrixView targets(observations.targets.data(), predictive.rows(), predictive.outputs());
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

Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json scores_json(const Scores& scores) {
  Json document = {{"epistemic_coverage", scores.epistemic_coverage},
                   {"total_coverage", scores.total_coverage},
                   {"epistemic_aleatoric_ratio", scores.epistemic_aleatoric_ratio},
                   {"epistemic_aleatoric_ratio_median", scores.epistemic_aleatoric_ratio_median},
                   {"nll", scores.nll},
                   {"nll_gaussian", scores.nll_gaussian},
                   {"crps", scores.crps},
                   {"interval_width", scores.interval_width},
                   {"interval_score", scores.interval_score},
                   {"calibration_error", scores.calibration_error},
                   {"sharpness", scores.sharpness}};
  if (scores.function_coverage) document["function_coverage"] = *scores.function_coverage;
  if (scores.function_rmse) document["function_rmse"] = *scores.function_rmse;
  return document;
}

/// The mean is the same on both sides, and so are the errors of points.
void add_scores(Json& document, const Scores& classical, const Scores& extended) {
  document["rmse"] = extended.rmse;
  document["rmse_standardised"] = optional_json(extended.rmse_standardised);
  document["mae"] = extended.mae;
  document["classical"] = scores_json(classical);
  document["extended"] = scores_json(extended);
}

Json comparison_json(const Comparison& comparison, const Ensemble& ensemble, double level) {
  Json document = {{"rows", comparison.rows},
                   {"level", level},
                   {"posterior", base::name_of(ensemble.posterior())},
                   {"outputs", ensemble.target_names()}};
  add_scores(document, comparison.classical, comparison.extended);
  if (comparison.extended.per_output.empty()) return document;
  Json& per_output = document["per_output"] = Json::array();
  for (std::size_t k = 0; k < ensemble.outputs(); ++k) {
    Json scores = {{"output", ensemble.target_names()[k]}};
    add_scores(scores, comparison.classical.per_output[k], comparison.extended.per_output[k]);
    per_output.push_back(std::move(scores));
  }
  return document;
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

void print_tables(const Comparison& comparison, const Ensemble& ensemble, double level) {
  const std::string posterior(base::name_of(ensemble.posterior()));
  report::Table table = comparison_table(comparison.classical, comparison.extended, posterior);
  table.caption = fmt::format("{} rows, level {}", comparison.rows, base::to_text(level));
  std::string text = report::table_text(table);
  for (std::size_t k = 0; k < comparison.extended.per_output.size(); ++k) {
    table = comparison_table(comparison.classical.per_output[k], comparison.extended.per_output[k], posterior);
    table.caption = "output " + ensemble.target_names()[k];
    text += "\n" + report::table_text(table);
  }
  print(text);
}

void run(const EvaluateArguments& arguments) {
  check(arguments);
  const Ensemble ensemble = load(arguments.rows.model);
  const Comparison comparison = compare(ensemble, arguments);
  if (arguments.json) {
    print_json(comparison_json(comparison, ensemble, arguments.level));
  } else {
    print_tables(comparison, ensemble, arguments.level);
  }
}

}  // namespace

Verb evaluate_verb() {
  return make_verb<EvaluateArguments>(
      "evaluate", "scores predictions against what was observed, classical and extended side by side",
      {"credens fit train.csv --target y --epochs 20 -o model.safetensors",
       "credens evaluate model.safetensors test.csv"},
      declare, run);
}

}  // namespace credens::cli
