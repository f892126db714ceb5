// SPDX-License-Identifier: Apache-2.0

#include "report/model_card.hpp"

#include <credens/version.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "data/kinds.hpp"
#include "model/ensemble_state.hpp"
#include "model/names.hpp"
#include "report/expectation.hpp"
#include "report/model_summary.hpp"
#include "report/page_parts.hpp"

namespace credens::report {

namespace {

using model::EnsembleState;

constexpr std::size_t most_shown_words = 12;

/// Text that Markdown shows as it is, also in a cell of a table.
std::string plain(const std::string& text) {
  constexpr std::string_view signs = "\\`*_{}[]<>|#~&$";
  std::string escaped;
  for (const char c : text) {
    if (signs.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c == '\n' || c == '\r' ? ' ' : c;
  }
  return escaped;
}

/// A string of JSON, which YAML reads alike.
std::string quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string row_text(const std::vector<std::string>& cells) {
  std::vector<std::string> escaped;
  for (const std::string& cell : cells) escaped.push_back(plain(cell));
  return "| " + base::join(escaped, " | ") + " |\n";
}

std::string markdown(const Table& table) {
  std::string text = table.caption.empty() ? "" : plain(table.caption) + "\n\n";
  text += row_text(table.headings) + "|" + base::join(std::vector<std::string>(table.headings.size(), "---"), "|") + "|\n";
  for (const std::vector<std::string>& row : table.rows) text += row_text(row);
  return text + "\n";
}

std::string markdown(const Section& section) {
  std::string text = fmt::format("## {}\n\n", plain(section.title));
  for (const std::string& paragraph : section.paragraphs) text += plain(paragraph) + "\n\n";
  for (const Table& table : section.tables) text += markdown(table);
  return text;
}

// ---- front matter ----

bool is_classification(const Ensemble& ensemble) {
  return ensemble.task() == Task::classification;
}

struct Metric {
  std::string type;
  std::string name;
  double value;
};

std::vector<Metric> expected_metrics(const Ensemble& ensemble) {
  if (const auto& classes = ensemble.expected_classes()) {
    return {{"accuracy", "accuracy", classes->accuracy.value},
            {"log_loss", "log loss, nats per row", classes->log_loss.value},
            {"brier_score", "Brier score", classes->brier.value}};
  }
  std::vector<Metric> metrics;
  if (!ensemble.expected()) return metrics;
  const std::vector<std::string> labels = ensemble.state().schema.target_labels();
  for (std::size_t k = 0; k < labels.size(); ++k) {
    const OutputExpectation& output = ensemble.expected()->outputs[k];
    metrics.push_back({"rmse", "root mean square error of " + labels[k], output.rmse.value});
    metrics.push_back({"mae", "mean absolute error of " + labels[k], output.mae.value});
    metrics.push_back({"r_squared", "R2 of " + labels[k], output.r2.value});
  }
  return metrics;
}

std::vector<Metric> measured_metrics(const CardFacts& facts) {
  if (facts.classes) {
    const ClassScores& scores = facts.classes->extended.scores;
    return {{"accuracy", "accuracy", scores.accuracy}, {"log_loss", "log loss, nats per row", scores.log_loss}};
  }
  if (!facts.comparison) return {};
  const Scores& scores = facts.comparison->extended;
  return {{"rmse", "root mean square error", scores.rmse},
          {"mae", "mean absolute error", scores.mae},
          {"nll", "negative log likelihood, nats per row", scores.nll}};
}

std::string task_type(const Ensemble& ensemble) {
  return is_classification(ensemble) ? "tabular-classification" : "tabular-regression";
}

std::string result_text(const Ensemble& ensemble, const std::string& data, const std::vector<Metric>& metrics) {
  std::string lines;
  for (const Metric& metric : metrics) {
    if (!std::isfinite(metric.value)) continue;
    lines += fmt::format("        - type: {}\n          name: {}\n          value: {}\n", metric.type, quoted(metric.name),
                         Json(metric.value).dump());
  }
  if (lines.empty()) return "";
  return fmt::format("    - task:\n        type: {}\n      dataset:\n        name: {}\n        type: tabular\n      metrics:\n{}",
                     task_type(ensemble), quoted(data), lines);
}

std::string front_matter(const Ensemble& ensemble, const CardFacts& facts) {
  std::string text = fmt::format(
      "---\nlibrary_name: credens\npipeline_tag: {}\ntags:\n  - credens\n  - deep-ensemble\n  - uncertainty\n",
      task_type(ensemble));
  const std::string results =
      result_text(ensemble, "held-out training rows", expected_metrics(ensemble)) +
      result_text(ensemble, file_name(facts.data_file), measured_metrics(facts));
  if (!results.empty()) text += fmt::format("model-index:\n  - name: {}\n    results:\n{}", quoted(facts.name), results);
  return text + "---\n\n";
}

// ---- columns ----

std::string kind_text(const data::Column& column) {
  if (column.kind == ColumnKind::date) return "date";
  if (column.kind == ColumnKind::number) return "number";
  const std::size_t shown = std::min(column.levels.size(), most_shown_words);
  const std::string words = base::join(std::span(column.levels).first(shown), ", ");
  const std::string more = shown < column.levels.size() ? ", ..." : "";
  return fmt::format("category of {}: {}{}", data::count_of(column.levels.size(), "word"), words, more);
}

Table columns_table(const EnsembleState& state) {
  const data::Schema& schema = state.schema;
  Table table{.headings = {"column", "part", "kind", "unit"}};
  for (std::size_t i = 0; state.has_networks() && i < schema.inputs.size(); ++i) {
    const std::span<const data::InputEncoding> encodings = state.encoder.columns();
    const bool may_miss = i < encodings.size() && encodings[i].flags_missing;
    const std::string name = schema.has_names ? schema.inputs[i].name : fmt::format("{}", i);
    table.rows.push_back({name, may_miss ? "input, may be missing" : "input", kind_text(schema.inputs[i]), schema.inputs[i].unit});
  }
  for (const data::Column& noise : schema.noise) {
    table.rows.push_back({noise.name, "known noise, a standard deviation", "number", noise.unit});
  }
  if (schema.is_classification() && !schema.has_counts()) {
    const data::Column classes{.name = schema.targets.front().name, .kind = ColumnKind::category, .levels = schema.classes};
    table.rows.push_back({classes.name, "target", kind_text(classes), ""});
    return table;
  }
  for (const data::Column& target : schema.targets) {
    table.rows.push_back({target.name, schema.is_classification() ? "target, a count" : "target", "number", target.unit});
  }
  return table;
}

std::string what_it_is(const Ensemble& ensemble) {
  const EnsembleState& state = ensemble.state();
  const std::string what =
      is_classification(ensemble)
          ? fmt::format("It predicts the probabilities of {} classes", ensemble.outputs())
          : fmt::format("It predicts {}", plain(base::join(state.schema.target_labels(), ", ")));
  const std::string from =
      state.has_networks() ? fmt::format(" from {}", data::count_of(state.schema.inputs.size(), "column"))
                           : std::string(" from arrays of networks that were trained elsewhere");
  return fmt::format(
      "{}{}, and says of each prediction how much of its uncertainty is noise and how much is ignorance. It is a deep "
      "ensemble of {} whose last layers have a Gaussian posterior ({}), made with Credens {}.\n\n",
      what, from, data::count_of(ensemble.members(), "network"), base::name_of(ensemble.posterior()),
      state.version.empty() ? version() : std::string_view(state.version));
}

// ---- scores and limits ----

Section measured_section(const Ensemble& ensemble, const CardFacts& facts) {
  Section section{.title = "Scores of " + file_name(facts.data_file)};
  const auto share = facts.classes ? facts.classes->training_share : facts.comparison->training_share;
  if (const std::string warning = training_warning(share); !warning.empty()) section.paragraphs.push_back(warning);
  section.paragraphs.emplace_back(
      "Classical are the scores of the deep ensemble with its members' own width taken away.");
  const ClassModelNames names{ensemble.classes(), std::string(base::name_of(ensemble.posterior()))};
  section.tables = facts.classes ? class_comparison_tables(*facts.classes, names)
                                 : comparison_tables(*facts.comparison, ensemble, facts.level);
  return section;
}

std::string limits_text(const Ensemble& ensemble) {
  const data::Schema& schema = ensemble.state().schema;
  std::vector<std::string> limits = {
      "It knows rows like the " + fmt::format("{}", ensemble.state().data.rows) +
      " that it was trained on. Where rows are unlike these, ignorance grows, but no number here bounds the error there.",
      "Predictions say what goes with the inputs, not what would come of changing them."};
  const bool has_words = std::ranges::any_of(
      schema.inputs, [](const data::Column& column) { return column.kind == ColumnKind::category; });
  if (has_words) limits.emplace_back("Words that training rows did not have are taken for unknown ones, with a warning.");
  if (schema.has_noise) limits.emplace_back("The noise of each row has to be given.");
  if (!ensemble.expected() && !ensemble.expected_classes()) limits.push_back(no_expectation(ensemble));
  if (schema.group) limits.push_back("Rows were held out by groups of \"" + schema.group->name + "\".");
  if (schema.time) limits.push_back("Rows were held out in blocks of \"" + schema.time->name + "\".");
  std::string text = "## Limits\n\n";
  for (const std::string& limit : limits) text += "* " + plain(limit) + "\n";
  return text + "\n";
}

/// A file's name as a shell takes it.
std::string shell_word(const std::string& name) {
  constexpr std::string_view safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+=@%/";
  if (!name.empty() && name.front() != '-' && name.find_first_not_of(safe) == std::string::npos) return name;
  std::string word = "'";
  for (const char c : name) word += c == '\'' ? "'\\''" : std::string(1, c == '\n' || c == '\r' ? ' ' : c);
  return word + "'";
}

std::string use_text(const Ensemble& ensemble, const std::string& file) {
  if (!ensemble.has_networks()) return "";
  return fmt::format(
      "## Use\n\n```\ncredens predict {} new.csv -o predictions.csv\n```\n\n```python\nimport credens\n\nmodel = "
      "credens.load({})\np = model.predict(\"new.csv\")\n```\n\n",
      shell_word(file), quoted(file));
}

}  // namespace

std::string model_card(const Ensemble& ensemble, const CardFacts& facts) {
  CardFacts named = facts;
  const std::string file = file_name(facts.model_file);
  if (named.name.empty()) named.name = std::filesystem::path(file).stem().string();
  std::string text = front_matter(ensemble, named) + fmt::format("# {}\n\n", plain(named.name)) + what_it_is(ensemble);
  text += "## Columns\n\n" + markdown(columns_table(ensemble.state())) + markdown(expectation_section(ensemble));
  if (facts.classes || facts.comparison) text += markdown(measured_section(ensemble, facts));
  text += limits_text(ensemble) + use_text(ensemble, file) + markdown(making_section(ensemble, facts.model_file));
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace credens::report
