// SPDX-License-Identifier: Apache-2.0

#include "store/model_document.hpp"

#include <nlohmann/json.hpp>

#include <credens/version.hpp>

#include "model/names.hpp"

namespace credens::store {

namespace {

Json inputs_to_json(const model::EnsembleState& state) {
  Json inputs = {{"names", state.schema.input_names()},
                 {"columns", data::positions_of(state.schema.inputs)},
                 {"table_columns", state.schema.table_columns},
                 {"shift", state.input_scaler.shift},
                 {"scale", state.input_scaler.scale}};
  if (!state.input_scaler.width.empty()) {
    inputs["centre"] = state.input_scaler.centre;
    inputs["width"] = state.input_scaler.width;
  }
  return inputs;
}

std::vector<std::size_t> positions_in(const JsonObject& part) {
  const std::vector<std::uint64_t> columns = part.wholes("columns");
  return {columns.begin(), columns.end()};
}

void read_inputs(const JsonObject& document, model::EnsembleState& state) {
  const JsonObject inputs =
      document.object("inputs", {"names", "columns", "table_columns", "shift", "scale", "centre", "width"});
  state.input_scaler = {.shift = inputs.numbers("shift"), .scale = inputs.numbers("scale")};
  if (inputs.has("centre")) state.input_scaler.centre = inputs.numbers("centre");
  if (inputs.has("width")) state.input_scaler.width = inputs.numbers("width");
  const std::vector<std::string> names = inputs.texts("names");
  const std::vector<std::size_t> positions = positions_in(inputs);
  const std::size_t count = state.input_scaler.cols();
  base::require(positions.size() == count, ErrorCode::model, "inputs.columns has {} positions, expected {}",
                positions.size(), count);
  state.schema.inputs = data::make_columns(names, positions, count, "input", ErrorCode::model);
  state.schema.has_names = !names.empty();
  state.schema.table_columns = inputs.whole("table_columns");
}

Json targets_to_json(const model::EnsembleState& state) {
  Json targets = {{"names", state.schema.target_names()},
                  {"shift", state.target_scaler.shift},
                  {"scale", state.target_scaler.scale}};
  const std::vector<std::size_t> columns = data::positions_of(state.schema.targets);
  if (!columns.empty()) targets["columns"] = columns;
  return targets;
}

void read_targets(const JsonObject& document, model::EnsembleState& state) {
  const JsonObject targets = document.object("targets", {"names", "shift", "scale", "columns"});
  state.target_scaler = {.shift = targets.numbers("shift"), .scale = targets.numbers("scale")};
  const std::vector<std::string> names = targets.texts("names");
  const std::size_t count = state.target_scaler.cols();
  base::require(count > 0, ErrorCode::model, "targets.shift is empty, expected one number per output");
  base::require(names.size() == count, ErrorCode::model, "targets.names has {} names, expected {}", names.size(),
                count);
  const std::vector<std::size_t> positions =
      targets.has("columns") ? positions_in(targets) : std::vector<std::size_t>();
  state.schema.targets = data::make_columns(names, positions, count, "output", ErrorCode::model);
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

void read_noise(const JsonObject& document, model::EnsembleState& state, CommonOutline& common) {
  const JsonObject noise = document.object("noise", {"kind", "link", "columns", "known"});
  const std::vector<std::string> names = noise.texts("columns");
  state.schema.noise = data::make_columns(names, {}, names.size(), "column", ErrorCode::model);
  state.schema.has_noise = noise.flag("known");
  if (common.inputs > 0) {
    common.noise = noise.choice<NoiseKind>("kind");
    common.noise_link = noise.choice<NoiseLink>("link");
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

void read_posterior(const JsonObject& document, model::EnsembleState& state, CommonOutline& common) {
  const JsonObject posterior = document.object("posterior", {"kind", "lambda", "random_bias"});
  state.posterior = posterior.choice<PosteriorKind>("kind");
  state.prior_precision = posterior.number("lambda");
  common.posterior = state.posterior;
  common.random_bias = posterior.flag("random_bias");
}

std::vector<MemberOutline> read_members(const JsonObject& document, const CommonOutline& common) {
  std::vector<MemberOutline> members;
  for (const JsonObject& member : document.objects("members", member_keys())) {
    MemberOutline outline = read_outline(member, common);
    base::require(members.empty() || members.back().index < outline.index, ErrorCode::model,
                  "{} is {}, expected more than in the member before", member.place_of("index"), outline.index);
    members.push_back(std::move(outline));
  }
  base::require(!members.empty(), ErrorCode::model, "members is empty, expected at least one");
  return members;
}

}  // namespace

Json to_document(const model::EnsembleState& state) {
  Json document = {{"format_version", format_version},          {"version", version()},
                   {"options", options_to_json(state.options)}, {"seed", state.seed},
                   {"data", data_to_json(state.data)},          {"inputs", inputs_to_json(state)},
                   {"targets", targets_to_json(state)},         {"noise", noise_to_json(state)},
                   {"posterior", posterior_to_json(state)},     {"total_members", state.total_members},
                   {"members", members_to_json(state)},         {"weights", state.weights}};
  if (!state.decisions.empty()) document["decisions"] = decisions_to_json(state);
  return document;
}

ModelDocument read_document(const Json& json) {
  const JsonObject document(json, "", ErrorCode::model,
                            {"format_version", "version", "options", "seed", "data", "inputs", "targets", "noise",
                             "posterior", "total_members", "members", "weights", "decisions"});
  ModelDocument result;
  model::EnsembleState& state = result.state;
  state.version = document.text("version");
  state.options = read_options(document);
  state.seed = document.whole("seed");
  state.data = read_data(document);
  read_inputs(document, state);
  read_targets(document, state);

  CommonOutline common;
  common.inputs = state.input_scaler.cols();
  common.outputs = state.target_scaler.cols();
  read_noise(document, state, common);
  read_posterior(document, state, common);
  state.total_members = document.whole("total_members");
  result.members = read_members(document, common);
  state.weights = document.numbers("weights");
  if (document.has("decisions")) state.decisions = read_decisions(document);
  return result;
}

}  // namespace credens::store
