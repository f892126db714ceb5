// SPDX-License-Identifier: Apache-2.0

#include <credens/score.hpp>
#include <credens/store.hpp>

#include "cli/comparison.hpp"
#include "cli/print.hpp"
#include "cli/verbs.hpp"
#include "model/names.hpp"

namespace credens::cli {

namespace {

struct EvaluateArguments {
  ComparisonArguments comparison;
  bool json = false;
};

void declare(Arguments& arguments, EvaluateArguments& evaluate) {
  comparison_arguments(arguments, evaluate.comparison);
  arguments.toggle("--json", evaluate.json, "Print JSON");
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

void print_tables(const std::vector<report::Table>& tables) {
  std::vector<std::string> texts;
  for (const report::Table& table : tables) texts.push_back(report::table_text(table));
  print(base::join(texts, "\n"));
}

void run(const EvaluateArguments& arguments) {
  check_arguments(arguments.comparison);
  const Ensemble ensemble = load(arguments.comparison.rows.model);
  RowStream stream(ensemble, arguments.comparison.rows);
  const Comparison comparison =
      compare(ensemble, observe(ensemble, stream, arguments.comparison), arguments.comparison);
  if (arguments.json) {
    print_json(comparison_json(comparison, ensemble, arguments.comparison.level));
  } else {
    print_tables(comparison_tables(comparison, ensemble, arguments.comparison.level));
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
