// SPDX-License-Identifier: Apache-2.0
//
// Model files and outputs folders on disk. docs/model-format.md describes both.

#pragma once

#include <credens/ensemble.hpp>

#include <filesystem>
#include <optional>

namespace credens {

/// Leaves the old file or the new one, never half of one.
void save(const Ensemble& ensemble, const std::filesystem::path& path);
Ensemble load(const std::filesystem::path& path);

/// The arrays of an ensemble at some rows, and the prior precision its members were trained with.
struct OutputsFolder {
  MemberOutputs outputs;
  double prior_precision = 0;
};

void save_outputs(const OutputsFolder& folder, const std::filesystem::path& path);
OutputsFolder load_outputs(const std::filesystem::path& path);

}  // namespace credens
