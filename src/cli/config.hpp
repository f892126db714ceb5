// SPDX-License-Identifier: Apache-2.0
//
// The settings of a fit as a TOML file: one key per setting, named like its flag.

#pragma once

#include <filesystem>
#include <string>

#include "cli/settings.hpp"

namespace credens::cli {

/// Sets what the file gives. Throws usage with file and line: for text that is not TOML, an unknown key, a value that
/// cannot be.
void read_config(const std::filesystem::path& path, FitSettings& settings);

/// All settings, in a form that read_config takes to the same settings.
std::string config_text(const FitSettings& settings);

}  // namespace credens::cli
