// SPDX-License-Identifier: Apache-2.0
//
// Parts of the documents of models and checkpoints: format version, options, data, members, decisions.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/ensemble_state.hpp"
#include "store/json.hpp"
#include "store/member_tensors.hpp"
#include "store/safetensors.hpp"

namespace credens::store {

constexpr std::uint64_t format_version = 1;

/// Metadata keys of the documents: of a model, and of one member in a checkpoint.
constexpr std::string_view model_key = "credens";
constexpr std::string_view member_key = "credens_member";

Json number_or_null(const std::optional<double>& value);

/// The document as one line of text; throws model where it holds text that is not UTF-8.
std::string document_text(const Json& document);

/// The document under `key` of a file. Throws model where the file is not a Credens file of that kind or its format is
/// newer.
Json open_document(const SafetensorsReader& file, std::string_view key);

/// The shape and posterior that all members share.
struct CommonOutline {
  std::size_t inputs = 0;  ///< d; 0 without networks
  std::size_t outputs = 0;
  NoiseKind noise = NoiseKind::shared;
  NoiseLink noise_link = NoiseLink::softplus;
  PosteriorKind posterior = PosteriorKind::delta;
  bool random_bias = false;
};

/// The fields of a member, for the caller who opens its object.
const std::vector<std::string>& member_keys();

Json member_to_json(const model::Member& member);
MemberOutline read_outline(const JsonObject& member, const CommonOutline& common);

/// Throws model for an option that is not finite.
Json options_to_json(const base::OptionValues& options);
base::OptionValues read_options(const JsonObject& document);  ///< its field `options`, under the names of today

/// The name of an option or decision today that a file may call by an earlier name.
std::string current_name(const std::string& stored);

Json data_to_json(const model::DataSummary& data);
model::DataSummary read_data(const JsonObject& document);  ///< its field `data`

Json decisions_to_json(const model::EnsembleState& state);

}  // namespace credens::store
