// SPDX-License-Identifier: Apache-2.0

#include "report/model_summary.hpp"

#include <credens/version.hpp>

#include <algorithm>
#include <iterator>

#include <nlohmann/json.hpp>

#include "data/kinds.hpp"
#include "model/ensemble_state.hpp"
#include "model/names.hpp"
#include "report/expectation.hpp"
#include "report/promise_summary.hpp"
#include "report/table.hpp"
#include "store/model_document.hpp"

namespace credens::report {

namespace {

using model::EnsembleState;

std::string number(const std::optional<double>& value) {
  return value ? significant(*value, 6) : "-";
}

Json elbo_json(const Ensemble& ensemble) {
  Json elbo = Json::object();
  for (const PosteriorKind rung : rungs) {
    Json& values = elbo[std::string(base::name_of(rung))] = Json::array();
    for (const model::Member& member : ensemble.state().members)
      values.push_back(store::number_or_null(member.posterior.elbo.of(rung)));
  }
  elbo["ensemble"] = store::number_or_null(ensemble.elbo(ensemble.posterior()));
  return elbo;
}

constexpr std::size_t most_shown = 8;

std::string shown(const std::vector<std::string>& names) {
  const std::size_t count = std::min(names.size(), most_shown);
  const std::string text = base::join(std::span(names).first(count), ", ");
  return names.size() > most_shown ? fmt::format("{}, ... ({})", text, names.size()) : text;
}

/// Cuts the plain numbers of a long list alone: everything else was recognised, and has to be seen.
std::string shown_inputs(const EnsembleState& state) {
  const std::vector<std::string> labels = inputs_with_kinds(state.schema, state.encoder);
  const std::span<const data::InputEncoding> columns = state.encoder.columns();
  const auto is_plain = [&](std::size_t i) {
    return columns.empty() || (columns[i].kind == ColumnKind::number && !columns[i].flags_missing);
  };
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (i < most_shown || !is_plain(i)) {
      shown.push_back(labels[i]);
    } else if (shown.back() != "...") {
      shown.emplace_back("...");
    }
  }
  const std::string text = base::join(shown, ", ");
  return labels.size() > most_shown ? fmt::format("{} ({})", text, labels.size()) : text;
}

Json kinds_json(const data::Schema& schema) {
  Json kinds = Json::array();
  for (const data::Column& input : schema.inputs) kinds.push_back(base::name_of(input.kind));
  return kinds;
}

Json word_counts_json(const data::Schema& schema) {
  Json counts = Json::array();
  for (const data::Column& input : schema.inputs) counts.push_back(input.levels.size());
  return counts;
}

std::string range_text(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const std::string from = significant(*low, 4);
  const std::string to = significant(*high, 4);
  return from == to ? from : fmt::format("{} to {}", from, to);
}

std::string members_text(const EnsembleState& state) {
  std::string text = fmt::format("{}", state.members.size());
  if (state.members.size() < state.total_members) {
    text = fmt::format("{} of {}, a part: {} to {}", text, state.total_members, state.members.front().index,
                       state.members.back().index);
  }
  const auto hidden = model::stored_option(state, "hidden");
  const auto activation = model::stored_option(state, "activation");
  if (hidden && activation) text += fmt::format(" (hidden {}, {})", *hidden, *activation);
  return state.has_networks() ? text : text + " (arrays, no networks)";
}

std::string elbo_text(const Ensemble& ensemble) {
  std::vector<std::string> words;
  for (const PosteriorKind rung : rungs) {
    if (const auto value = ensemble.elbo(rung)) {
      words.push_back(fmt::format("{} {}", base::name_of(rung), significant(*value, 6)));
    }
  }
  return words.empty() ? "not known" : base::join(words, ", ");
}

}  // namespace

Table members_table(const EnsembleState& state) {
  Table table{.headings = {"member", "features", "weight", "gamma", "ELBO isotropic", "diagonal", "full"}};
  for (std::size_t l = 0; l < state.members.size(); ++l) {
    const model::Member& member = state.members[l];
    const model::MemberPosterior& posterior = member.posterior;
    table.rows.push_back({fmt::format("{}", member.index), fmt::format("{}", member.features), number(state.weights[l]),
                          number(posterior.gamma), number(posterior.elbo.isotropic), number(posterior.elbo.diagonal),
                          number(posterior.elbo.full)});
  }
  return table;
}

Lines option_lines(const EnsembleState& state) {
  Lines lines;
  if (!state.data.fingerprint.empty()) lines.emplace_back("data fingerprint", state.data.fingerprint);
  for (const auto& [name, value] : state.options) lines.emplace_back(name, base::to_text(value));
  return lines;
}

Json model_json(const Ensemble& ensemble) {
  const EnsembleState& state = ensemble.state();
  Json features = Json::array();
  for (const model::Member& member : state.members) features.push_back(member.features);
  Json document = {{"members", ensemble.members()},
                   {"inputs", state.schema.input_keys()},
                   {"outputs", ensemble.target_names()},
                   {"features", features},
                   {"lambda", ensemble.prior_precision()},
                   {"posterior", base::name_of(ensemble.posterior())},
                   {"gamma", ensemble.gamma()},
                   {"elbo", elbo_json(ensemble)},
                   {"weights", ensemble.weights()},
                   {"seed", state.seed},
                   {"options", store::options_to_json(state.options)},
                   {"data", store::data_to_json(state.data)},
                   {"decisions", store::decisions_to_json(state)},
                   {"expected", expectation_json(ensemble)}};
  if (state.schema.is_classification()) {
    document["task"] = base::name_of(state.schema.task);
    document["classes"] = state.schema.classes;
  }
  if (state.has_networks()) {
    document["input_kinds"] = kinds_json(state.schema);
    document["input_words"] = word_counts_json(state.schema);
  }
  if (ensemble.promise()) document["promise"] = promise_groups_json(*ensemble.promise());
  const std::vector<std::string> input_units = data::units_of(state.schema.inputs);
  if (!input_units.empty()) document["input_units"] = input_units;
  const std::vector<std::string> output_units = data::units_of(state.schema.targets);
  if (!output_units.empty()) document["output_units"] = output_units;
  document["version"] = state.version.empty() ? version() : std::string_view(state.version);
  return document;
}

std::vector<std::string> inputs_with_kinds(const data::Schema& schema, const data::Encoder& encoder) {
  std::vector<std::string> labels = schema.input_labels();
  for (std::size_t i = 0; i < encoder.columns().size(); ++i) {
    const data::InputEncoding& encoding = encoder.columns()[i];
    std::vector<std::string> words;
    if (encoding.kind == ColumnKind::category) words.push_back(data::count_of(schema.inputs[i].levels.size(), "word"));
    if (encoding.kind == ColumnKind::date) words.emplace_back("date");
    if (encoding.flags_missing) words.emplace_back("may be missing");
    if (!words.empty()) labels[i] += fmt::format(" ({})", base::join(words, ", "));
  }
  return labels;
}

Lines column_lines(const EnsembleState& state) {
  Lines lines;
  if (state.has_networks()) lines.emplace_back("inputs", shown_inputs(state));
  if (state.schema.is_classification()) {
    if (!state.schema.has_counts()) lines.emplace_back("target", state.schema.targets.front().name);
    lines.emplace_back(fmt::format("{} classes", state.schema.classes.size()), shown(state.schema.classes));
  } else {
    lines.emplace_back("outputs", shown(state.schema.target_labels()));
  }
  return lines;
}

Lines configuration_lines(const EnsembleState& state) {
  Lines lines;
  for (const model::Decision& decision : state.decisions) {
    if (decision.name == "configuration") lines.emplace_back(decision.value, decision.reason);
  }
  return lines;
}

Lines model_lines(const Ensemble& ensemble) {
  const EnsembleState& state = ensemble.state();
  Lines lines{{"rows", fmt::format("{}", state.data.rows)}};
  std::ranges::move(column_lines(state), std::back_inserter(lines));
  lines.emplace_back("members", members_text(state));
  lines.emplace_back("posterior", fmt::format("{}{}, lambda {}", base::name_of(ensemble.posterior()),
                                              state.members.front().posterior.random_bias ? " with random bias" : "",
                                              fmt::format("{:.4g}", ensemble.prior_precision())));
  lines.emplace_back("gamma", range_text(ensemble.gamma()));
  lines.emplace_back("ELBO", elbo_text(ensemble));
  if (ensemble.promise()) lines.emplace_back("promise", promise_line(*ensemble.promise()));
  return lines;
}

}  // namespace credens::report
