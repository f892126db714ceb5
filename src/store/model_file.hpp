// SPDX-License-Identifier: Apache-2.0
//
// Model files: an ensemble as the bytes of one safetensors file, and back. `credens::save` and `credens::load` are
// built on this.

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "model/ensemble_state.hpp"

namespace credens::store {

constexpr std::size_t most_members = 100'000;

/// Throws model unless the state is sound and says nothing that a file cannot: one kind of noise for all networks,
/// names in UTF-8. Checked before a file is written and after one was read.
void check_storable(const model::EnsembleState& state);
void check_storable(const model::Member& member);  ///< likewise for a member that has a network

/// Equal ensembles have equal bytes. Throws model for an ensemble that no file can hold.
std::string encode_model(const Ensemble& ensemble);

/// Throws model, without naming the file, unless the bytes are a sound model file.
Ensemble decode_model(std::string_view bytes);

/// The bytes of a safetensors file. What cannot be one is refused before it is read whole, so that no file takes more
/// memory than it should.
std::string read_container(const std::filesystem::path& path);

}  // namespace credens::store
