// SPDX-License-Identifier: Apache-2.0
//
// Settings of a fit, by flag and by TOML file alike: how the table is read and the options of training, in one table.
// A key of the file is named like its flag.

#pragma once

#include <credens/dataset.hpp>
#include <credens/fit.hpp>

#include <filesystem>
#include <string>

#include "base/options.hpp"

namespace credens::cli {

struct FitSettings {
  DatasetOptions columns = {};
  FitOptions options = {};
  std::string validation_file = {};  ///< beside options.validation_fraction
};

const base::OptionTable<FitSettings>& fit_settings();

/// Sets what the file gives. Throws usage with file and line: for text that is not TOML, an unknown key, a value that
/// cannot be.
void read_config(const std::filesystem::path& path, FitSettings& settings);

/// All settings, in a form that read_config takes to the same settings.
std::string config_text(const FitSettings& settings);

}  // namespace credens::cli
