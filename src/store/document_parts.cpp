// SPDX-License-Identifier: Apache-2.0

#include "store/document_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "model/names.hpp"

namespace credens::store {

namespace {

Json elbo_to_json(const model::ElboLadder& elbo) {
  return {{"isotropic", number_or_null(elbo.isotropic)},
          {"diagonal", number_or_null(elbo.diagonal)},
          {"full", number_or_null(elbo.full)}};
}

model::ElboLadder read_elbo(const JsonObject& member) {
  const JsonObject elbo = member.object("elbo", {"isotropic", "diagonal", "full"});
  return {elbo.number_or_null("isotropic"), elbo.number_or_null("diagonal"), elbo.number_or_null("full")};
}

/// A count that sizes something: at least 1.
std::size_t read_width(std::uint64_t width, const std::string& place) {
  // Far above any layer, and low enough that no product of a width and a number's size overflows.
  constexpr std::uint64_t widest = std::uint64_t{1} << 40;
  base::require(width >= 1 && width <= widest, ErrorCode::model, "{} is {}, expected a width from 1 to {}", place,
                width, widest);
  return width;
}

std::optional<model::MlpShape> read_shape(const JsonObject& member, const CommonOutline& common) {
  if (common.inputs == 0) {
    for (const std::string_view key : {"frequencies", "hidden", "activation"}) {
      base::require(member.is_null(key), ErrorCode::model, "{} is given, expected null because the model has no inputs",
                    member.place_of(key));
    }
    return std::nullopt;
  }
  model::MlpShape shape;
  shape.inputs = common.inputs;
  for (const std::uint64_t width : member.wholes("hidden")) {
    shape.hidden.push_back(read_width(width, member.place_of("hidden")));
  }
  shape.activation = member.choice<Activation>("activation");
  shape.outputs = common.outputs;
  shape.noise = common.noise;
  shape.noise_link = common.noise_link;
  shape.frequencies = member.whole("frequencies");
  return shape;
}

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

}  // namespace

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

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
  base::require(version.is_number_unsigned() && version != 0, ErrorCode::model, "format_version is {}, expected 1",
                base::quoted(version.dump()));
  base::require(version <= format_version, ErrorCode::model, "format version {} is newer than this program's {}",
                version.get<std::uint64_t>(), format_version);
  return document;
}

const std::vector<std::string>& member_keys() {
  static const std::vector<std::string> keys = {"index",    "frequencies", "hidden", "activation",
                                                "features", "gamma",       "elbo"};
  return keys;
}

Json member_to_json(const model::Member& member) {
  Json json = {{"index", member.index}, {"frequencies", nullptr}, {"hidden", nullptr}, {"activation", nullptr}};
  if (member.network) {
    json["frequencies"] = member.network->shape().frequencies;
    json["hidden"] = member.network->shape().hidden;
    json["activation"] = base::name_of(member.network->shape().activation);
  }
  json["features"] = member.features;
  json["gamma"] = member.posterior.gamma;
  json["elbo"] = elbo_to_json(member.posterior.elbo);
  return json;
}

MemberOutline read_outline(const JsonObject& member, const CommonOutline& common) {
  MemberOutline outline;
  outline.index = member.whole("index");
  outline.features = read_width(member.whole("features"), member.place_of("features"));
  outline.outputs = common.outputs;
  outline.network = read_shape(member, common);
  outline.posterior.kind = common.posterior;
  outline.posterior.random_bias = common.random_bias;
  outline.posterior.gamma = member.number("gamma");
  outline.posterior.elbo = read_elbo(member);
  return outline;
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

/// Names of options and decisions in files of version 0.1.0, and those of today (docs/decisions/0016-plain-names.md).
constexpr std::pair<std::string_view, std::string_view> renamed[] = {
    {"bend_inputs", "asinh_inputs"}, {"kind_weights", "configuration_weights"}, {"wide_members", "tail_components"}};

std::string current_name(const std::string& stored) {
  const auto found = std::ranges::find(renamed, stored, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(renamed) ? stored : std::string(found->second);
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

}  // namespace credens::store
