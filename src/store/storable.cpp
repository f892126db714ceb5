// SPDX-License-Identifier: Apache-2.0

#include "store/storable.hpp"

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/table.hpp"

namespace credens::store {

namespace {

template <class... Args>
void expect(bool holds, fmt::format_string<Args...> sentence, Args&&... args) {
  base::require(holds, ErrorCode::model, sentence, std::forward<Args>(args)...);
}

/// Text ends up in JSON and on terminals.
void check_text(const std::string& text, std::string_view what) {
  expect(base::is_utf8(text) && !data::has_control_character(text), "{} {} is not UTF-8 text on one line", what,
         base::quoted(text));
}

void check_names(const std::vector<data::Column>& columns, std::string_view what) {
  for (const data::Column& column : columns) check_text(column.name, what);
}

void check_options(const base::OptionValues& options) {
  for (const auto& [name, value] : options) {
    check_text(name, "the option name");
    if (const auto* text = std::get_if<std::string>(&value)) check_text(*text, fmt::format("the option {} =", name));
  }
}

/// A file states once for all members what kind of noise and whether the bias is random.
void check_alike(const model::Member& member, const model::Member& first) {
  expect(member.posterior.random_bias == first.posterior.random_bias,
         "member {} differs from the first in having a random bias, expected all or none", member.index);
  if (!member.network) return;
  const model::MlpShape& shape = member.network->shape();
  const model::MlpShape& first_shape = first.network->shape();
  expect(shape.noise == first_shape.noise && shape.noise_link == first_shape.noise_link,
         "member {} differs from the first in its kind of noise, expected one kind", member.index);
}

void check_fingerprint(const std::string& fingerprint) {
  const bool is_hexadecimal = fingerprint.find_first_not_of("0123456789abcdef") == std::string::npos;
  expect(is_hexadecimal && (fingerprint.empty() || fingerprint.size() == 32),
         "the fingerprint of the data is {}, expected 32 hexadecimal digits or nothing", base::quoted(fingerprint));
}

}  // namespace

void check_storable(const model::EnsembleState& state) {
  try {
    model::check(state);
  } catch (const Error& error) {
    throw Error(ErrorCode::model, error.what());
  }
  expect(state.total_members <= most_members, "an ensemble has {} members, at most {} are expected",
         state.total_members, most_members);
  expect(state.has_networks() || (state.input_scaler.cols() == 0 && state.schema.inputs.empty()),
         "an ensemble without networks has {} inputs, expected none", state.input_scaler.cols());
  for (const model::Member& member : state.members) check_alike(member, state.members.front());
  check_names(state.schema.inputs, "the input name");
  check_names(state.schema.targets, "the target name");
  check_names(state.schema.noise, "the name of the noise column");
  check_options(state.options);
  check_text(state.version, "the version");
  check_fingerprint(state.data.fingerprint);
}

void check_storable(const model::Member& member) {
  const model::MlpShape& shape = member.network->shape();
  model::EnsembleState state;
  state.members = {member};
  state.total_members = most_members;
  state.weights = {1.0};
  state.input_scaler = data::identity_scaler(shape.inputs);
  state.target_scaler = data::identity_scaler(shape.outputs);
  state.schema = {.inputs = std::vector<data::Column>(shape.inputs, {.name = "", .position = 0}),
                  .targets = std::vector<data::Column>(shape.outputs),
                  .has_noise = shape.noise == NoiseKind::known,
                  .table_columns = shape.inputs};
  state.posterior = member.posterior.kind;
  check_storable(state);
}

}  // namespace credens::store
