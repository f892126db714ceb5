// SPDX-License-Identifier: Apache-2.0

#include "report/comparison.hpp"

#include <fmt/format.h>

#include "model/ensemble_state.hpp"
#include "model/names.hpp"
#include "report/number.hpp"
#include "score/row_weights.hpp"

namespace credens::report {

namespace {

Table comparison_table(const Scores& classical, const Scores& extended, const std::string& posterior) {
  Table table{.headings = {"", "classical", "extended (" + posterior + ")"}};
  const auto number = [](double value) { return significant(value, 4); };
  const auto add = [&](const char* name, auto&& text, auto member) {
    table.rows.push_back({name, text(classical.*member), text(extended.*member)});
  };
  const auto if_any = [](auto text) {
    return [text](const std::optional<double>& value) { return value ? text(*value) : "-"; };
  };
  add("root mean square error", number, &Scores::rmse);
  add("  in units of the training targets' std", if_any(number), &Scores::rmse_standardised);
  add("mean absolute error", number, &Scores::mae);
  add("coverage, total", percent, &Scores::total_coverage);
  add("coverage, epistemic only", percent, &Scores::epistemic_coverage);
  add("epistemic / aleatoric, mean", number, &Scores::epistemic_aleatoric_ratio);
  add("epistemic / aleatoric, median", number, &Scores::epistemic_aleatoric_ratio_median);
  add("negative log likelihood", number, &Scores::nll);
  add("  of the matched Gaussian", number, &Scores::nll_gaussian);
  add("CRPS", number, &Scores::crps);
  add("interval width", number, &Scores::interval_width);
  add("interval score", number, &Scores::interval_score);
  add("calibration error", number, &Scores::calibration_error);
  add("sharpness", number, &Scores::sharpness);
  if (extended.function_coverage) add("coverage of the truth", if_any(percent), &Scores::function_coverage);
  if (extended.function_rmse) add("root mean square error to the truth", if_any(number), &Scores::function_rmse);
  return table;
}

Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json spread_json(const Scores& scores) {
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

void add_points(Json& document, const Scores& scores) {
  document["rmse"] = scores.rmse;
  document["rmse_standardised"] = optional_json(scores.rmse_standardised);
  document["mae"] = scores.mae;
}

/// The mean is the same on both sides, and so are the errors of points.
void add_scores(Json& document, const Scores& classical, const Scores& extended) {
  add_points(document, extended);
  document["classical"] = spread_json(classical);
  document["extended"] = spread_json(extended);
}

ScoreOptions with_target_std(const Ensemble& ensemble, ScoreOptions options) {
  options.target_std = ensemble.state().target_scaler.scale;
  return options;
}

}  // namespace

Comparer::Comparer(const Ensemble& ensemble, const ScoreOptions& options, double largest_weight)
    : classical_(ensemble.outputs(), with_target_std(ensemble, options), largest_weight),
      extended_(ensemble.outputs(), with_target_std(ensemble, options), largest_weight) {}

void Comparer::add(const scoring::ScoredRows& rows) {
  const Predictive classical = rows.predictive.classical();
  classical_.add({.predictive = classical, .targets = rows.targets, .weights = rows.weights, .truth = rows.truth});
  extended_.add(rows);
}

std::string Comparer::scored(const scoring::ScoredRows& rows) const {
  const Predictive classical = rows.predictive.classical();
  std::string bytes;
  append(classical_.score(
             {.predictive = classical, .targets = rows.targets, .weights = rows.weights, .truth = rows.truth}),
         bytes);
  append(extended_.score(rows), bytes);
  return bytes;
}

void Comparer::add_scored(std::string_view bytes) {
  base::ByteReader reader(bytes);
  classical_.add(scoring::read_block_scores(reader));
  extended_.add(scoring::read_block_scores(reader));
}

Comparison Comparer::comparison() const {
  return {.rows = extended_.rows(), .classical = classical_.scores(), .extended = extended_.scores()};
}

Comparison compare(const Ensemble& ensemble, const Predictive& predictive, MatrixView targets,
                   const ScoreOptions& options) {
  scoring::RowWeights weights;
  weights.add(options.weights);
  Comparer comparer(ensemble, options, weights.largest());
  comparer.add({.predictive = predictive, .targets = targets, .weights = options.weights, .truth = options.truth});
  return comparer.comparison();
}

std::vector<Table> comparison_tables(const Comparison& comparison, const Ensemble& ensemble, double level) {
  const std::string posterior(base::name_of(ensemble.posterior()));
  std::vector<Table> tables = {comparison_table(comparison.classical, comparison.extended, posterior)};
  tables.front().caption = fmt::format("{} rows, level {}", comparison.rows, base::to_text(level));
  for (std::size_t k = 0; k < comparison.extended.per_output.size(); ++k) {
    tables.push_back(
        comparison_table(comparison.classical.per_output[k], comparison.extended.per_output[k], posterior));
    tables.back().caption = "output " + ensemble.target_names()[k];
  }
  return tables;
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

Json scores_json(const Scores& scores) {
  Json document = Json::object();
  add_points(document, scores);
  document.update(spread_json(scores));
  if (scores.per_output.empty()) return document;
  Json& per_output = document["per_output"] = Json::array();
  for (const Scores& output : scores.per_output) per_output.push_back(scores_json(output));
  return document;
}

}  // namespace credens::report
