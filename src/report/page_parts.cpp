// SPDX-License-Identifier: Apache-2.0

#include "report/page_parts.hpp"

#include <credens/version.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>

#include "data/date.hpp"
#include "model/ensemble_state.hpp"
#include "model/names.hpp"
#include "report/expectation.hpp"
#include "report/model_summary.hpp"
#include "score/diagnostics.hpp"

namespace credens::report {

namespace {

/// Inputs that have a column each in a table of rows; of more, the most unusual ones are named.
constexpr std::size_t most_input_columns = 8;
constexpr std::size_t unusual_inputs = 3;

/// The value of input j as the table has it: a number, a word or a date.
std::string cell_text(const model::EnsembleState& state, std::size_t j, double value) {
  const data::Column& input = state.schema.inputs[j];
  if (std::isnan(value)) return "missing";
  if (input.kind == ColumnKind::date) return data::date_text(value);
  if (input.kind == ColumnKind::number) return significant(value, 4);
  const auto level = static_cast<std::size_t>(value);
  return level < input.levels.size() ? input.levels[level] : "a word never seen";
}

/// "age 71 (+3.2)": the numbers and dates that lie farthest out in the scale of the networks.
std::string unusual_text(const model::EnsembleState& state, const std::vector<std::string>& labels,
                         const std::vector<double>& inputs) {
  std::vector<double> distance;
  for (std::size_t j = 0; j < inputs.size(); ++j) {
    const bool is_far = state.schema.inputs[j].kind != ColumnKind::category && !std::isnan(inputs[j]);
    distance.push_back(is_far ? std::abs(state.encoder.scaler.apply(j, inputs[j])) : 0);
  }
  std::vector<std::string> words;
  for (const std::size_t j : scoring::largest(distance, unusual_inputs)) {
    if (distance[j] == 0) continue;
    words.push_back(fmt::format("{} {} ({:+.1f})", labels[j], cell_text(state, j, inputs[j]),
                                state.encoder.scaler.apply(j, inputs[j])));
  }
  return base::join(words, ", ");
}

/// Why the model has its posterior. The recipe's reason holds as long as nobody widened the model otherwise.
std::string reason_for_posterior(const Ensemble& ensemble) {
  const std::string name(base::name_of(ensemble.posterior()));
  for (const model::Decision& decision : ensemble.state().decisions) {
    if (decision.name == "posterior" && decision.value == name) return decision.reason;
  }
  return "it was given, or there were no held-out rows to choose it by";
}

Table ladder(const Ensemble& ensemble) {
  Table table{
      .caption = fmt::format("The ladder of posteriors by their evidence lower bound (ELBO): how well each describes "
                             "the training rows. It never falls from one to the next, so it does not choose. This "
                             "model has {}: {}.",
                             base::name_of(ensemble.posterior()), reason_for_posterior(ensemble)),
      .headings = {"posterior", "ELBO of the ensemble, nats"}};
  for (const PosteriorKind kind : rungs) {
    const std::optional<double> elbo = ensemble.elbo(kind);
    std::string name(base::name_of(kind));
    if (kind == ensemble.posterior()) name += " (this model)";
    table.rows.push_back({std::move(name), elbo ? significant(*elbo, 6) : "–"});
  }
  return table;
}

/// The members' configurations with their weights and, of classes, temperatures.
Table configurations_table(const model::EnsembleState& state) {
  const Lines configurations = configuration_lines(state);
  std::vector<std::string> temperatures;
  for (const model::Decision& decision : state.decisions) {
    if (decision.name == "temperature") temperatures = base::split(decision.value, ',');
  }
  const bool has_temperatures = temperatures.size() == configurations.size();
  Table table{.caption = "The configurations of the members, with their weights in the mixture",
              .headings = {"configuration", "weight"}};
  if (has_temperatures) {
    table.caption += "; a temperature above 1 made predictions less sure";
    table.headings.emplace_back("temperature");
  }
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    table.rows.push_back({configurations[i].second, configurations[i].first});
    if (has_temperatures) table.rows.back().emplace_back(base::trim(temperatures[i]));
  }
  return table;
}

}  // namespace

std::string RowPlaces::name_of(std::size_t row) const {
  const auto number = numbers.find(row);
  return fmt::format("{}", number == numbers.end() ? row : number->second);
}

RowColumns::RowColumns(const Ensemble& ensemble, const RowPlaces& places)
    : state_(ensemble.state()), places_(places), labels_(ensemble.state().schema.input_labels()) {}

void RowColumns::add_headings(std::vector<std::string>& headings) const {
  std::ranges::copy(places_.kept_names, std::back_inserter(headings));
  if (places_.inputs.empty()) return;
  if (labels_.size() <= most_input_columns) {
    std::ranges::copy(labels_, std::back_inserter(headings));
  } else {
    headings.emplace_back("inputs farthest from the mean of training (in its standard deviations)");
  }
}

void RowColumns::add_cells(std::size_t row, std::vector<std::string>& cells) const {
  if (!places_.kept_names.empty()) std::ranges::copy(places_.kept.at(row), std::back_inserter(cells));
  if (places_.inputs.empty()) return;
  const std::vector<double>& inputs = places_.inputs.at(row);
  if (labels_.size() > most_input_columns) return cells.push_back(unusual_text(state_, labels_, inputs));
  for (std::size_t j = 0; j < inputs.size(); ++j) cells.push_back(cell_text(state_, j, inputs[j]));
}

Page begin_page(const PageNames& names) {
  return {.title = names.title.empty() ? "How well does the model know?" : names.title,
          .byline = fmt::format("Made on {}.", names.date.empty() ? data::today() : names.date),
          .footer = fmt::format("Made by credens {}.", version())};
}

std::string file_name(const std::string& path) {
  if (path == "-") return "standard input";
  const std::filesystem::path given = std::filesystem::path(path).lexically_normal();
  return (given.has_filename() ? given : given.parent_path()).filename().string();
}

Table two_columns(std::string caption, std::string left, std::string right, const Lines& lines) {
  Table table{.caption = std::move(caption), .headings = {std::move(left), std::move(right)}};
  for (const auto& [name, value] : lines) table.rows.push_back({name, value});
  return table;
}

Section expectation_section(const Ensemble& ensemble) {
  Section section{.title = "What new rows may expect"};
  if (!ensemble.expected() && !ensemble.expected_classes()) {
    section.paragraphs = {no_expectation(ensemble)};
    return section;
  }
  section.paragraphs = {
      "Found when the model was made, from training rows that were held out of some of its members. The numbers behind "
      "+- are standard errors: chance alone would move a number by as much if other rows had been held out."};
  section.tables = {expectation_table(ensemble)};
  return section;
}

Section making_section(const Ensemble& ensemble, const std::string& model_name) {
  const model::EnsembleState& state = ensemble.state();
  Section section{.title = "How the model was made",
                  .tables = {two_columns("The model", "", file_name(model_name), model_lines(ensemble))}};
  if (Table configurations = configurations_table(state); !configurations.rows.empty()) {
    section.tables.push_back(std::move(configurations));
  }
  section.tables.push_back(ladder(ensemble));
  section.tables.push_back(members_table(state));
  section.tables.back().caption =
      fmt::format("The {} members: gamma is the variance of a weight in the last layer", state.members.size());
  section.tables.back().is_folded = true;
  const Lines options = option_lines(state);
  if (!options.empty()) {
    section.tables.push_back(two_columns("The options of training", "option", "value", options));
    section.tables.back().is_folded = true;
  }
  return section;
}

}  // namespace credens::report
