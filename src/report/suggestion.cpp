// SPDX-License-Identifier: Apache-2.0

#include "report/suggestion.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "decide/names.hpp"

namespace credens::report {

namespace {

std::string place_of(const SuggestedRow& row) {
  if (row.repeats_pending) return fmt::format("repeats pending row {}", *row.repeats_pending + 1);
  if (row.repeats) return fmt::format("repeats measurement {}", *row.repeats + 1);
  return "new";
}

std::string with_unit(double value, const std::string& unit) {
  return significant(value) + (unit.empty() ? "" : " " + unit);
}

Table rows_table(const SuggestionText& text) {
  const bool learns = text.options.goal == Goal::learn;
  const std::vector<std::string> labels = text.state.schema.target_labels();
  Table table{.headings = {"", text.row_heading, learns ? "expected gain" : "expected improvement"}};
  for (const std::string& label : labels) table.headings.push_back("then ignorance of " + label);
  table.headings.emplace_back("place");
  for (std::size_t i = 0; i < text.rows.size(); ++i) {
    const SuggestedRow& row = text.suggestion.rows[i];
    table.rows.push_back({std::to_string(i + 1), text.rows[i], learns ? percent(row.gain) : significant(row.gain)});
    for (const double ignorance : row.ignorance) table.rows.back().push_back(significant(ignorance));
    table.rows.back().push_back(place_of(row));
  }
  return table;
}

std::string outcome(const SuggestionText& text, std::size_t output) {
  const data::Column& target = text.state.schema.targets[output];
  const Suggestion& suggestion = text.suggestion;
  const std::string which = suggestion.at < text.at_rows
                                ? fmt::format("{} of the {} {}", suggestion.at, text.at_rows, text.at)
                                : fmt::format("the {} {}", suggestion.at, text.at);
  return fmt::format("{}: ignorance at {} is {}, expected to fall to {}; noise is {}.\n", target.name, which,
                     with_unit(suggestion.ignorance[output], target.unit),
                     with_unit(suggestion.rows.back().ignorance[output], target.unit),
                     with_unit(suggestion.noise[output], target.unit));
}

}  // namespace

std::string suggestion_text(const SuggestionText& text) {
  std::string result = table_text(rows_table(text)) + "\n";
  for (std::size_t k = 0; k < text.state.schema.targets.size(); ++k) result += outcome(text, k);
  if (text.suggestion.noise_dominates()) {
    result +=
        "Noise dominates: without any ignorance, the standard deviation of a new observation would be less than 3 % "
        "smaller. More rows will not help: measure more precisely.\n";
  }
  return result;
}

Json suggestion_json(const SuggestionText& text) {
  const Suggestion& suggestion = text.suggestion;
  const auto by_output = [&](const std::vector<double>& values) {
    Json object = Json::object();
    for (std::size_t k = 0; k < values.size(); ++k) object[text.state.schema.targets[k].name] = values[k];
    return object;
  };
  Json rows = Json::array();
  for (const SuggestedRow& row : suggestion.rows) {
    rows.push_back({{"row", row.row},
                    {"gain", row.gain},
                    {"ignorance", by_output(row.ignorance)},
                    {"repeats", row.repeats ? Json(*row.repeats) : Json()},
                    {"repeats_pending", row.repeats_pending ? Json(*row.repeats_pending) : Json()}});
  }
  return {{"goal", base::name_of(text.options.goal)},
          {"rows", rows},
          {"ignorance", by_output(suggestion.ignorance)},
          {"noise", by_output(suggestion.noise)},
          {"noise_dominates", suggestion.noise_dominates()},
          {"candidates", suggestion.candidates},
          {"at", suggestion.at}};
}

}  // namespace credens::report
