// SPDX-License-Identifier: Apache-2.0

#include "store/model_document.hpp"

#include <credens/version.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "model/names.hpp"
#include "store/document_targets.hpp"
#include "store/expectation_document.hpp"
#include "store/promise_document.hpp"

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
  if (encoding.kind == ColumnKind::date && column.has_zone) json["zone"] = *column.has_zone;
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
  for (std::size_t i = 0; i < state.encoder.columns().size(); ++i) {
    inputs["encodings"].push_back(column_to_json(state.schema.inputs[i], state.encoder.columns()[i]));
  }
  return inputs;
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
  if (encoding.kind == ColumnKind::date && object.has("zone")) column.has_zone = object.flag("zone");
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
  std::vector<data::InputEncoding> encodings;
  const std::size_t most = state.schema.inputs.size();
  for (const JsonObject& object :
       inputs.objects("encodings", {"kind", "flags_missing", "levels", "codes", "learned", "cycles", "zone"})) {
    base::require(encodings.size() < most, ErrorCode::model, "inputs.encodings has more than {} columns", most);
    encodings.push_back(read_encoding(object, state.schema.inputs[encodings.size()]));
  }
  state.encoder = {std::move(state.encoder.scaler), std::move(encodings)};
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

Json to_document(const model::EnsembleState& state) {
  Json document = {{"format_version", format_version}, {"version", version()}};
  const bool has_classes = state.schema.is_classification();
  if (has_classes) document["task"] = "classification";
  document["options"] = options_to_json(state.options);
  document["seed"] = state.seed;
  document["data"] = data_to_json(state.data);
  document["inputs"] = inputs_to_json(state);
  document["targets"] = targets_to_json(state);
  if (!has_classes) document["noise"] = noise_to_json(state);
  document["posterior"] = posterior_to_json(state);
  document["total_members"] = state.total_members;
  document["members"] = members_to_json(state);
  document["weights"] = state.weights;
  if (!state.decisions.empty()) document["decisions"] = decisions_to_json(state);
  if (!state.row_hashes.empty()) document["row_hashes"] = state.row_hashes;
  if (const Json expected = expectation_to_json(state); !expected.is_null()) document["expected"] = expected;
  if (const Json promise = promise_to_json(state); !promise.is_null()) document["promise"] = promise;
  return document;
}

model::EnsembleState read_document(const Json& json, TensorMap& tensors) {
  const JsonObject document(
      json, "", ErrorCode::model,
      {"format_version", "version", "task", "options", "seed", "data", "inputs", "targets", "noise", "posterior",
       "total_members", "members", "weights", "decisions", "row_hashes", "expected", "promise"});
  model::EnsembleState state;
  state.version = document.text("version");
  state.options = read_options(document);
  state.seed = document.whole("seed");
  state.data = read_data(document);
  read_inputs(document, state);
  read_targets(document, state);
  const bool has_classes = state.schema.is_classification();

  CommonParts common;
  common.shape.task = state.schema.task;
  common.shape.inputs = state.encoder.numbers();
  common.shape.flags = state.encoder.flags();
  common.shape.tables = state.encoder.tables();
  common.shape.outputs = state.target_scaler.cols();
  if (!has_classes) read_noise(document, state, common);
  read_posterior(document, state, common);
  state.total_members = document.whole("total_members");
  state.weights = document.numbers("weights");
  if (document.has("decisions")) state.decisions = read_decisions(document);
  if (document.has("row_hashes")) state.row_hashes = document.wholes("row_hashes");
  read_expectation(document, state);
  read_promise(document, tensors, state);
  state.members = read_members(document, common, tensors);
  return state;
}

}  // namespace credens::store
