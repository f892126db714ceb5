// SPDX-License-Identifier: Apache-2.0

#include "store/model_document.hpp"

#include <credens/version.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "model/names.hpp"

namespace credens::store {

namespace {

base::OptionValue read_option(const Json& value, const std::string& place) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return value.get<double>();
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const bool is_whole =
      value.is_number_integer() && (!value.is_number_unsigned() || value.get<std::uint64_t>() <= largest);
  base::require(is_whole, ErrorCode::model, "{} is not true, false, text or a number of 64 bits", place);
  return value.get<std::int64_t>();
}

/// Names of options and decisions in files of version 0.1.0, and those of today (docs/decisions/0016-plain-names.md).
constexpr std::pair<std::string_view, std::string_view> renamed[] = {
    {"bend_inputs", "asinh_inputs"}, {"kind_weights", "configuration_weights"}, {"wide_members", "tail_components"}};

std::string current_name(const std::string& stored) {
  const auto found = std::ranges::find(renamed, stored, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(renamed) ? stored : std::string(found->second);
}

Json column_to_json(const data::Column& column, const data::InputEncoding& encoding) {
  Json json = {{"kind", base::name_of(encoding.kind)}};
  if (encoding.flags_missing) json["flags_missing"] = true;
  if (encoding.kind == ColumnKind::category) json["levels"] = column.levels;
  if (encoding.has_table()) {
    json["codes"] = encoding.codes;
    json["learned"] = encoding.learned;
  }
  for (const data::Cycle cycle : encoding.cycles) json["cycles"].push_back(base::name_of(cycle));
  return json;
}

Json inputs_to_json(const model::EnsembleState& state) {
  const data::Scaler& scaler = state.encoder.scaler;
  Json inputs = {{"names", state.schema.input_names()},
                 {"columns", data::positions_of(state.schema.inputs)},
                 {"table_columns", state.schema.table_columns},
                 {"shift", scaler.shift},
                 {"scale", scaler.scale}};
  if (const auto units = data::units_of(state.schema.inputs); !units.empty()) inputs["units"] = units;
  if (!scaler.width.empty()) {
    inputs["centre"] = scaler.centre;
    inputs["width"] = scaler.width;
  }
  if (!state.schema.missing.empty()) inputs["missing"] = state.schema.missing;
  for (std::size_t i = 0; i < state.encoder.columns.size(); ++i) {
    inputs["encodings"].push_back(column_to_json(state.schema.inputs[i], state.encoder.columns[i]));
  }
  return inputs;
}

std::vector<std::size_t> positions_in(const JsonObject& part) {
  const std::vector<std::uint64_t> columns = part.wholes("columns");
  return {columns.begin(), columns.end()};
}

/// Columns without units have no such key.
void read_units(const JsonObject& part, std::vector<data::Column>& columns, std::string_view what) {
  if (!part.has("units")) return;
  const std::vector<std::string> units = part.texts("units");
  base::require(!units.empty(), ErrorCode::model, "{} is empty, expected one unit per {}", part.place_of("units"),
                what);
  data::set_units(units, columns, what, ErrorCode::model);
}

data::Cycle read_cycle(const std::string& name) {
  for (const auto& [cycle, known] : base::EnumNames<data::Cycle>::entries) {
    if (name == known) return cycle;
  }
  base::fail(ErrorCode::model, "a date repeats with the cycle {}, expected day, week or year", base::quoted(name));
}

data::InputEncoding read_encoding(const JsonObject& object, data::Column& column) {
  // Far above the levels of any table, and exact in the floats that codes become.
  constexpr std::uint64_t most_levels = std::uint64_t{1} << 23;
  data::InputEncoding encoding{.kind = object.choice<ColumnKind>("kind")};
  encoding.flags_missing = object.has("flags_missing") && object.flag("flags_missing");
  if (object.has("cycles")) {
    for (const std::string& name : object.texts("cycles")) encoding.cycles.push_back(read_cycle(name));
  }
  column.kind = encoding.kind;
  if (encoding.kind == ColumnKind::category) column.levels = object.texts("levels");
  if (encoding.kind != ColumnKind::category && !object.has("codes")) return encoding;
  for (const std::uint64_t code : object.wholes("codes")) {
    encoding.codes.push_back(static_cast<std::uint32_t>(std::min(code, most_levels)));
  }
  const std::uint64_t learned = object.whole("learned");
  base::require(learned <= encoding.codes.size() && learned <= most_levels, ErrorCode::model,
                "{} is {}, expected at most the number of codes", object.place_of("learned"), learned);
  encoding.learned = learned;
  return encoding;
}

void read_encodings(const JsonObject& inputs, model::EnsembleState& state) {
  std::size_t next = 0;
  for (const JsonObject& object :
       inputs.objects("encodings", {"kind", "flags_missing", "levels", "codes", "learned", "cycles"})) {
    base::require(next < state.schema.inputs.size(), ErrorCode::model, "inputs.encodings has more than {} columns",
                  next);
    state.encoder.columns.push_back(read_encoding(object, state.schema.inputs[next++]));
  }
}

void read_inputs(const JsonObject& document, model::EnsembleState& state) {
  const JsonObject inputs = document.object("inputs", {"names", "units", "columns", "table_columns", "shift", "scale",
                                                       "centre", "width", "missing", "encodings"});
  data::Scaler& scaler = state.encoder.scaler;
  scaler = {.shift = inputs.numbers("shift"), .scale = inputs.numbers("scale")};
  if (inputs.has("centre")) scaler.centre = inputs.numbers("centre");
  if (inputs.has("width")) scaler.width = inputs.numbers("width");
  const std::vector<std::string> names = inputs.texts("names");
  const std::vector<std::size_t> positions = positions_in(inputs);
  const std::size_t count = scaler.cols();
  base::require(positions.size() == count, ErrorCode::model, "inputs.columns has {} positions, expected {}",
                positions.size(), count);
  state.schema.inputs = data::make_columns(names, positions, count, "input", ErrorCode::model);
  read_units(inputs, state.schema.inputs, "input");
  state.schema.has_names = !names.empty();
  state.schema.table_columns = inputs.whole("table_columns");
  if (inputs.has("missing")) state.schema.missing = inputs.texts("missing");
  if (inputs.has("encodings")) read_encodings(inputs, state);
}

Json targets_to_json(const model::EnsembleState& state) {
  Json targets = {{"names", state.schema.target_names()},
                  {"shift", state.target_scaler.shift},
                  {"scale", state.target_scaler.scale}};
  const std::vector<std::string> units = data::units_of(state.schema.targets);
  if (!units.empty()) targets["units"] = units;
  const std::vector<std::size_t> columns = data::positions_of(state.schema.targets);
  if (!columns.empty()) targets["columns"] = columns;
  return targets;
}

void read_targets(const JsonObject& document, model::EnsembleState& state) {
  const JsonObject targets = document.object("targets", {"names", "units", "shift", "scale", "columns"});
  state.target_scaler = {.shift = targets.numbers("shift"), .scale = targets.numbers("scale")};
  const std::vector<std::string> names = targets.texts("names");
  const std::size_t count = state.target_scaler.cols();
  base::require(count > 0, ErrorCode::model, "targets.shift is empty, expected one number per output");
  base::require(names.size() == count, ErrorCode::model, "targets.names has {} names, expected {}", names.size(),
                count);
  const std::vector<std::size_t> positions =
      targets.has("columns") ? positions_in(targets) : std::vector<std::size_t>();
  state.schema.targets = data::make_columns(names, positions, count, "output", ErrorCode::model);
  read_units(targets, state.schema.targets, "output");
}

Json noise_to_json(const model::EnsembleState& state) {
  Json noise = {{"kind", nullptr},
                {"link", nullptr},
                {"columns", data::names_of(state.schema.noise)},
                {"known", state.schema.has_noise}};
  if (state.has_networks()) {
    noise["kind"] = base::name_of(state.members.front().network->shape().noise);
    noise["link"] = base::name_of(state.members.front().network->shape().noise_link);
  }
  return noise;
}

void read_noise(const JsonObject& document, model::EnsembleState& state, CommonParts& common) {
  const JsonObject noise = document.object("noise", {"kind", "link", "columns", "known"});
  const std::vector<std::string> names = noise.texts("columns");
  state.schema.noise = data::make_columns(names, {}, names.size(), "column", ErrorCode::model);
  state.schema.has_noise = noise.flag("known");
  if (common.shape.row_width() > 0) {
    common.shape.noise = noise.choice<NoiseKind>("kind");
    common.shape.noise_link = noise.choice<NoiseLink>("link");
    return;
  }
  base::require(noise.is_null("kind") && noise.is_null("link"), ErrorCode::model,
                "noise.kind is given, expected null because the model has no inputs");
}

Json members_to_json(const model::EnsembleState& state) {
  Json members = Json::array();
  for (const model::Member& member : state.members) members.push_back(member_to_json(member));
  return members;
}

std::vector<model::Decision> read_decisions(const JsonObject& document) {
  std::vector<model::Decision> decisions;
  for (const JsonObject& decision : document.objects("decisions", {"name", "value", "reason"})) {
    decisions.push_back({current_name(decision.text("name")), decision.text("value"), decision.text("reason")});
  }
  return decisions;
}

/// Numbers that are too large for a double are null.
Json estimate_to_json(const Estimate& estimate) {
  const auto finite = [](double value) {
    return number_or_null(std::isfinite(value) ? std::optional(value) : std::nullopt);
  };
  return {{"value", finite(estimate.value)}, {"standard_error", finite(estimate.standard_error)}};
}

Estimate read_estimate(const JsonObject& part, std::string_view name) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const JsonObject estimate = part.object(name, {"value", "standard_error"});
  const double standard_error = estimate.number_or_null("standard_error").value_or(infinite);
  base::require(standard_error >= 0, ErrorCode::model, "{} is {}, expected a number that is not negative",
                estimate.place_of("standard_error"), standard_error);
  return {estimate.number_or_null("value").value_or(infinite), standard_error};
}

constexpr std::pair<std::string_view, Estimate OutputExpectation::*> estimates[] = {
    {"rmse", &OutputExpectation::rmse},
    {"r2", &OutputExpectation::r2},
    {"mae", &OutputExpectation::mae},
    {"crps", &OutputExpectation::crps},
    {"nll", &OutputExpectation::nll},
    {"coverage", &OutputExpectation::coverage},
    {"aleatoric_std", &OutputExpectation::aleatoric_std},
    {"epistemic_std", &OutputExpectation::epistemic_std}};

Expectation read_expectation(const JsonObject& document, std::size_t outputs) {
  const JsonObject part = document.object("expected", {"rows", "level", "nll", "outputs"});
  Expectation expected{
      .rows = part.whole("rows"), .level = part.number("level"), .nll = read_estimate(part, "nll"), .outputs = {}};
  base::require(expected.level > 0 && expected.level < 1, ErrorCode::model,
                "expected.level is {}, expected a number between 0 and 1", expected.level);
  for (const JsonObject& of_output :
       part.objects("outputs", {"rmse", "r2", "mae", "crps", "nll", "coverage", "aleatoric_std", "epistemic_std"})) {
    OutputExpectation& output = expected.outputs.emplace_back();
    for (const auto& [name, estimate] : estimates) output.*estimate = read_estimate(of_output, name);
  }
  base::require(expected.outputs.size() == outputs, ErrorCode::model, "expected.outputs has {} outputs, expected {}",
                expected.outputs.size(), outputs);
  return expected;
}

Json posterior_to_json(const model::EnsembleState& state) {
  return {{"kind", base::name_of(state.posterior)},
          {"lambda", state.prior_precision},
          {"random_bias", state.members.front().posterior.random_bias}};
}

void read_posterior(const JsonObject& document, model::EnsembleState& state, CommonParts& common) {
  const JsonObject posterior = document.object("posterior", {"kind", "lambda", "random_bias"});
  state.posterior = posterior.choice<PosteriorKind>("kind");
  state.prior_precision = posterior.number("lambda");
  common.posterior.kind = state.posterior;
  common.posterior.random_bias = posterior.flag("random_bias");
}

std::vector<model::Member> read_members(const JsonObject& document, const CommonParts& common, TensorMap& tensors) {
  std::vector<model::Member> members;
  for (const JsonObject& member : document.objects("members", member_keys())) {
    const std::uint64_t index = member.whole("index");
    base::require(members.empty() || members.back().index < index, ErrorCode::model,
                  "{} is {}, expected more than in the member before", member.place_of("index"), index);
    members.push_back(read_member(member, common, tensors));
  }
  base::require(!members.empty(), ErrorCode::model, "members is empty, expected at least one");
  return members;
}

}  // namespace

std::string document_text(const Json& document) {
  try {
    return document.dump();
  } catch (const Json::exception&) {
    base::fail(ErrorCode::model, "a name or option is not UTF-8 text");
  }
}

Json open_document(const SafetensorsReader& file, std::string_view key) {
  const auto text = file.metadata(key);
  if (!text) {
    base::require(!file.metadata(model_key), ErrorCode::model,
                  "it holds a whole model, expected one member of a checkpoint");
    base::require(!file.metadata(member_key), ErrorCode::model,
                  "it holds one member of a checkpoint, expected a model");
    base::fail(ErrorCode::model, "not a Credens model: its metadata has no key {}", key);
  }
  Json document = parse_json<Json>(*text, "the document", ErrorCode::model);
  base::require(document.is_object() && document.contains("format_version"), ErrorCode::model,
                "format_version is missing");
  const Json& version = document["format_version"];
  base::require(version.is_number_unsigned() && version != 0, ErrorCode::model, "format_version is {}, expected 1 or 2",
                base::quoted(version.dump()));
  base::require(version <= format_version, ErrorCode::model, "format version {} is newer than this program's {}",
                version.get<std::uint64_t>(), format_version);
  return document;
}

Json options_to_json(const base::OptionValues& options) {
  Json json = Json::object();
  for (const auto& [name, value] : options) {
    const auto* number = std::get_if<double>(&value);
    base::require(number == nullptr || std::isfinite(*number), ErrorCode::model,
                  "the option {} is {}, expected a finite number", name, base::to_text(value));
    std::visit([&json, &key = name](const auto& typed) { json[key] = typed; }, value);
  }
  return json;
}

base::OptionValues read_options(const JsonObject& document) {
  const Json& options = document.at("options");
  base::require(options.is_object(), ErrorCode::model, "options is not an object");
  base::OptionValues values;
  for (const auto& [name, value] : options.items()) {
    base::require(current_name(name) == name || !options.contains(current_name(name)), ErrorCode::model,
                  "options.{} is given under two names", current_name(name));
    values.emplace_back(current_name(name), read_option(value, "options." + name));
  }
  return values;
}

Json data_to_json(const model::DataSummary& data) {
  return {{"rows", data.rows}, {"fingerprint", data.fingerprint}};
}

model::DataSummary read_data(const JsonObject& document) {
  const JsonObject data = document.object("data", {"rows", "fingerprint"});
  return {data.whole("rows"), data.text("fingerprint")};
}

Json decisions_to_json(const model::EnsembleState& state) {
  Json decisions = Json::array();
  for (const model::Decision& decision : state.decisions) {
    decisions.push_back({{"name", decision.name}, {"value", decision.value}, {"reason", decision.reason}});
  }
  return decisions;
}

Json expectation_to_json(const Expectation& expected) {
  Json outputs = Json::array();
  for (const OutputExpectation& output : expected.outputs) {
    Json& of_output = outputs.emplace_back(Json::object());
    for (const auto& [name, estimate] : estimates) of_output[std::string(name)] = estimate_to_json(output.*estimate);
  }
  return {{"rows", expected.rows},
          {"level", expected.level},
          {"nll", estimate_to_json(expected.nll)},
          {"outputs", std::move(outputs)}};
}

Json to_document(const model::EnsembleState& state) {
  Json document = {{"format_version", format_version},          {"version", version()},
                   {"options", options_to_json(state.options)}, {"seed", state.seed},
                   {"data", data_to_json(state.data)},          {"inputs", inputs_to_json(state)},
                   {"targets", targets_to_json(state)},         {"noise", noise_to_json(state)},
                   {"posterior", posterior_to_json(state)},     {"total_members", state.total_members},
                   {"members", members_to_json(state)},         {"weights", state.weights}};
  if (!state.decisions.empty()) document["decisions"] = decisions_to_json(state);
  if (!state.row_hashes.empty()) document["row_hashes"] = state.row_hashes;
  if (state.expected) document["expected"] = expectation_to_json(*state.expected);
  return document;
}

model::EnsembleState read_document(const Json& json, TensorMap& tensors) {
  const JsonObject document(
      json, "", ErrorCode::model,
      {"format_version", "version", "options", "seed", "data", "inputs", "targets", "noise", "posterior",
       "total_members", "members", "weights", "decisions", "row_hashes", "expected"});
  model::EnsembleState state;
  state.version = document.text("version");
  state.options = read_options(document);
  state.seed = document.whole("seed");
  state.data = read_data(document);
  read_inputs(document, state);
  read_targets(document, state);

  CommonParts common;
  common.shape.inputs = state.encoder.numbers();
  common.shape.flags = state.encoder.flags();
  common.shape.tables = state.encoder.tables();
  common.shape.outputs = state.target_scaler.cols();
  read_noise(document, state, common);
  read_posterior(document, state, common);
  state.total_members = document.whole("total_members");
  state.weights = document.numbers("weights");
  if (document.has("decisions")) state.decisions = read_decisions(document);
  if (document.has("row_hashes")) state.row_hashes = document.wholes("row_hashes");
  if (document.has("expected")) state.expected = read_expectation(document, state.target_scaler.cols());
  state.members = read_members(document, common, tensors);
  return state;
}

}  // namespace credens::store
