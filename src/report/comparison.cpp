// SPDX-License-Identifier: Apache-2.0

#include "report/comparison.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "data/table.hpp"
#include "model/ensemble_state.hpp"
#include "model/names.hpp"
#include "report/table.hpp"
#include "score/score_fields.hpp"
#include "store/json.hpp"

namespace credens::report {

namespace {

using scoring::ScoreField;
using scoring::ScoreKind;

std::string text_of(const ScoreField& field, const Scores& scores) {
  const std::optional<double> value = field.value(scores);
  if (!value) return "-";
  return field.format == scoring::ScoreFormat::percent ? percent(*value) : significant(*value, 4);
}

/// Scores against the truth are left out where there is none.
bool is_shown(const ScoreField& field, const Scores& scores) {
  return field.kind != ScoreKind::truth || field.value(scores);
}

Table comparison_table(const Scores& classical, const Scores& extended, const std::string& posterior) {
  Table table{.headings = {"", "classical", "extended (" + posterior + ")"}};
  for (const ScoreField& field : scoring::score_fields()) {
    if (!is_shown(field, extended)) continue;
    table.rows.push_back({std::string(field.title), text_of(field, classical), text_of(field, extended)});
  }
  return table;
}

void add_points(Json& document, const Scores& scores) {
  for (const ScoreField& field : scoring::score_fields()) {
    if (field.kind == ScoreKind::point) document[std::string(field.name)] = store::number_or_null(field.value(scores));
  }
}

Json spread_json(const Scores& scores) {
  Json document = {{"epistemic_coverage", scores.epistemic_coverage}};  // stands first, unlike in tables
  for (const ScoreField& field : scoring::score_fields()) {
    if (field.kind == ScoreKind::point || !is_shown(field, scores)) continue;
    document[std::string(field.name)] = *field.value(scores);
  }
  return document;
}

/// The mean is the same on both sides, and so are the errors of points.
void add_scores(Json& document, const Scores& classical, const Scores& extended) {
  add_points(document, extended);
  document["classical"] = spread_json(classical);
  document["extended"] = spread_json(extended);
}

}  // namespace

Comparer::Comparer(const Ensemble& ensemble, const scoring::IntervalOptions& interval, double largest_weight)
    : classical_(ensemble.outputs(), interval, ensemble.state().target_scaler.scale, largest_weight),
      extended_(ensemble.outputs(), interval, ensemble.state().target_scaler.scale, largest_weight) {}

std::string Comparer::scored(const scoring::Observations& rows) const {
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

std::string training_warning(const std::optional<double>& training_share, std::string_view consequence) {
  constexpr double nearly_all = 0.995;
  if (!training_share || *training_share == 0) return "";
  const std::string which = *training_share >= nearly_all
                                ? "These are rows of training"
                                : fmt::format("About {} of these rows are rows of training", percent(*training_share));
  return fmt::format("{}: {}.", which, consequence);
}

std::vector<Table> comparison_tables(const Comparison& comparison, const Ensemble& ensemble, double level) {
  const std::string posterior(base::name_of(ensemble.posterior()));
  std::vector<Table> tables = {comparison_table(comparison.classical, comparison.extended, posterior)};
  tables.front().caption = fmt::format("{}, level {:.6g}", data::count_of(comparison.rows, "row"), level);
  const std::vector<std::string> labels = ensemble.state().schema.target_labels();
  if (labels != ensemble.target_names()) tables.front().caption += fmt::format(", {}", base::join(labels, ", "));
  for (std::size_t k = 0; k < comparison.extended.per_output.size(); ++k) {
    tables.push_back(
        comparison_table(comparison.classical.per_output[k], comparison.extended.per_output[k], posterior));
    tables.back().caption = "output " + labels[k];
  }
  return tables;
}

Json comparison_json(const Comparison& comparison, const Ensemble& ensemble, double level) {
  Json document = {{"rows", comparison.rows},
                   {"level", level},
                   {"posterior", base::name_of(ensemble.posterior())},
                   {"outputs", ensemble.target_names()}};
  const std::vector<std::string> units = data::units_of(ensemble.state().schema.targets);
  if (!units.empty()) document["output_units"] = units;
  add_scores(document, comparison.classical, comparison.extended);
  document["training_share"] = store::number_or_null(comparison.training_share);
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
