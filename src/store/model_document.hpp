// SPDX-License-Identifier: Apache-2.0
//
// The JSON document in a model file: everything of an ensemble but the tensors, and the parts that documents of
// checkpoints have too. docs/model-format.md lists its fields.

#pragma once

#include <string>
#include <string_view>

#include "store/stored_member.hpp"

namespace credens::store {

constexpr std::uint64_t format_version = 2;

/// Metadata keys of the documents: of a model, and of one member in a checkpoint.
constexpr std::string_view model_key = "credens";
constexpr std::string_view member_key = "credens_member";

/// The document as one line of text; throws model where it holds text that is not UTF-8.
std::string document_text(const Json& document);

/// The document under `key` of a file. Throws model where the file is not a Credens file of that kind or its format is
/// newer.
Json open_document(const SafetensorsReader& file, std::string_view key);

/// Throws model for an option that is not finite.
Json options_to_json(const base::OptionValues& options);
base::OptionValues read_options(const JsonObject& document);  ///< its field `options`, under the names of today

Json data_to_json(const model::DataSummary& data);
model::DataSummary read_data(const JsonObject& document);  ///< its field `data`

Json decisions_to_json(const model::EnsembleState& state);

Json to_document(const model::EnsembleState& state);

/// The ensemble that a document describes; its members take their tensors out of the map. Throws model.
model::EnsembleState read_document(const Json& document, TensorMap& tensors);

}  // namespace credens::store
