// SPDX-License-Identifier: Apache-2.0

#include "store/model_file.hpp"

#include <credens/store.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>

#include <nlohmann/json.hpp>

#include "base/check.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "data/table.hpp"
#include "store/files.hpp"
#include "store/model_document.hpp"
#include "store/promise_document.hpp"

namespace credens::store {

namespace {

template <class... Args>
void check_that(bool holds, fmt::format_string<Args...> sentence, Args&&... args) {
  base::require(holds, ErrorCode::model, sentence, std::forward<Args>(args)...);
}

/// Text ends up in JSON and on terminals.
void check_text(const std::string& text, std::string_view what) {
  check_that(base::is_utf8(text) && !data::has_control_character(text), "{} {} is not UTF-8 text on one line", what,
             base::quoted(text));
}

void check_names(const std::vector<data::Column>& columns, std::string_view what) {
  for (const data::Column& column : columns) {
    check_text(column.name, what);
    for (const std::string& level : column.levels) check_text(level, "the level");
  }
}

void check_distinct(const std::vector<data::Column>& columns, std::string_view what) {
  const std::vector<std::string> names = data::names_of(columns);
  const auto twins = data::first_duplicate(names);
  check_that(!twins, "two {} have the name {}, expected different names", what,
             base::quoted(twins ? names[twins->first] : ""));
}

/// As in tables: each name and each column stands once.
void check_columns(const data::Schema& schema) {
  if (schema.has_names) check_distinct(schema.inputs, "inputs");
  check_distinct(schema.targets, "targets");
  std::vector<std::size_t> positions = data::positions_of(schema.inputs);
  std::ranges::copy(data::positions_of(schema.targets), std::back_inserter(positions));
  std::ranges::sort(positions);
  const auto twin = std::ranges::adjacent_find(positions);
  check_that(twin == positions.end(), "two inputs or targets are column {}, expected different columns",
             twin == positions.end() ? 0 : *twin);
}

void check_options(const base::OptionValues& options) {
  for (const auto& [name, value] : options) {
    check_text(name, "the option name");
    if (const auto* text = std::get_if<std::string>(&value)) check_text(*text, fmt::format("the option {} =", name));
  }
}

void check_promise_names(const Promise& promise) {
  check_text(promise.column, "the column of a promise");
  for (const PromiseGroup& group : promise.groups) check_text(group.name, "the group of a promise");
}

/// A file states once for all members what kind of noise and whether the bias is random.
void check_alike(const model::Member& member, const model::Member& first) {
  check_that(member.posterior.random_bias == first.posterior.random_bias,
             "member {} differs from the first in having a random bias, expected all or none", member.index);
  if (!member.network) return;
  const model::MlpShape& shape = member.network->shape();
  const model::MlpShape& first_shape = first.network->shape();
  check_that(shape.noise == first_shape.noise && shape.noise_link == first_shape.noise_link,
             "member {} differs from the first in its kind of noise, expected one kind", member.index);
}

void check_fingerprint(const std::string& fingerprint) {
  const bool is_hexadecimal = fingerprint.find_first_not_of("0123456789abcdef") == std::string::npos;
  check_that(is_hexadecimal && (fingerprint.empty() || fingerprint.size() == 32),
             "the fingerprint of the data is {}, expected 32 hexadecimal digits or nothing", base::quoted(fingerprint));
}

/// Numbers of eight bytes first, so that each tensor is aligned.
std::vector<Tensor> tensors_of(const model::EnsembleState& state) {
  std::vector<Tensor> tensors;
  append_promise_tensors(state, tensors);
  for (const model::Member& member : state.members) append_posterior_tensors(member, tensors);
  for (const model::Member& member : state.members) append_network_tensors(member, tensors);
  return tensors;
}

/// Checks the frame of the container. A file that cannot be read passes: reading it whole reports that.
void check_first_bytes(const std::filesystem::path& path) {
  constexpr std::size_t enough = 16;
  std::string first_bytes(enough, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(first_bytes.data(), static_cast<std::streamsize>(first_bytes.size()));
  first_bytes.resize(static_cast<std::size_t>(file.gcount()));
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!error && first_bytes.size() == std::min<std::uintmax_t>(size, enough)) check_frame(first_bytes, size);
}

/// An encoder whose rows have the parts that a network sees.
data::Encoder encoder_for(const model::MlpShape& shape) {
  const data::Scaler scaler = data::identity_scaler(shape.inputs + shape.tables.size());
  if (shape.flags == 0 && shape.tables.empty()) return scaler;
  std::vector<data::InputEncoding> columns(scaler.cols());
  if (shape.flags > 0) {
    columns[0] = {.kind = ColumnKind::date, .flags_missing = shape.flags % 2 == 1};
    columns[0].cycles.resize(shape.flags / 2);
  }
  for (std::size_t t = 0; t < shape.tables.size(); ++t) {
    columns[shape.inputs + t] = {.kind = ColumnKind::category, .learned = shape.tables[t].rows - 3};
  }
  return {scaler, columns};
}

}  // namespace

void check_storable(const model::EnsembleState& state) {
  try {
    model::check(state);
  } catch (const Error& error) {
    throw Error(ErrorCode::model, error.what());
  }
  check_that(state.total_members <= most_members, "an ensemble has {} members, at most {} are expected",
             state.total_members, most_members);
  check_that(state.has_networks() || (state.encoder.inputs() == 0 && state.schema.inputs.empty()),
             "an ensemble without networks has {} inputs, expected none", state.encoder.inputs());
  for (const model::Member& member : state.members) check_alike(member, state.members.front());
  check_names(state.schema.inputs, "the input name");
  check_names(state.schema.targets, "the target name");
  for (const std::string& name : state.schema.classes) check_text(name, "the name of a class");
  check_names(state.schema.noise, "the name of the noise column");
  check_options(state.options);
  for (const model::Decision& decision : state.decisions) {
    for (const std::string* text : {&decision.name, &decision.value, &decision.reason})
      check_text(*text, "the decision");
  }
  if (state.promise) check_promise_names(*state.promise);
  check_text(state.version, "the version");
  check_fingerprint(state.data.fingerprint);
}

void check_storable(const model::Member& member) {
  const model::MlpShape& shape = member.network->shape();
  model::EnsembleState state;
  state.members = {member};
  state.total_members = most_members;
  state.weights = {1.0};
  const std::size_t inputs = shape.inputs + shape.tables.size();
  state.encoder = encoder_for(shape);
  state.target_scaler = data::identity_scaler(shape.outputs);
  state.schema = {.inputs = std::vector<data::Column>(inputs, {.name = "", .position = 0}),
                  .targets = std::vector<data::Column>(shape.has_classes() ? 1 : shape.outputs),
                  .task = shape.task,
                  .has_noise = !shape.has_classes() && shape.noise == NoiseKind::known,
                  .table_columns = inputs};
  for (std::size_t i = 0; i < state.encoder.columns().size(); ++i) {
    state.schema.inputs[i].kind = state.encoder.columns()[i].kind;
  }
  for (std::size_t c = 0; c < shape.outputs && shape.has_classes(); ++c) {
    state.schema.classes.push_back(fmt::format("{}", c));
  }
  state.posterior = member.posterior.kind;
  check_storable(state);
}

std::string encode_model(const Ensemble& ensemble) {
  const model::EnsembleState& state = ensemble.state();
  check_storable(state);
  check_columns(state.schema);
  return encode_safetensors({{std::string(model_key), document_text(to_document(state))}}, tensors_of(state));
}

Ensemble decode_model(std::string_view bytes) {
  const SafetensorsReader file(bytes);
  const Json json = open_document(file, model_key);
  TensorMap tensors = file.tensors();
  file.check_checksum();

  auto state = std::make_shared<const model::EnsembleState>(read_document(json, tensors));
  check_all_taken(tensors);
  check_storable(*state);
  check_columns(state->schema);
  return Ensemble(std::move(state));
}

std::string read_container(const std::filesystem::path& path) {
  base::check_regular(path);
  if (path != "-") check_first_bytes(path);
  return base::read_file(path);
}

}  // namespace credens::store

namespace credens {

void save(const Ensemble& ensemble, const std::filesystem::path& path) {
  const std::string bytes = store::with_path(path, [&] { return store::encode_model(ensemble); });
  base::OutputFile file(path);
  file.write(bytes);
  file.commit();
}

Ensemble load(const std::filesystem::path& path) {
  return store::with_path(path, [&] { return store::decode_model(store::read_container(path)); });
}

}  // namespace credens
