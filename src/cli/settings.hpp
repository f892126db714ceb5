// SPDX-License-Identifier: Apache-2.0
//
// What can be set for a fit by flag and by configuration file alike: how the table is read and the options of training,
// in one table.

#pragma once

#include <credens/dataset.hpp>
#include <credens/fit.hpp>

#include <string>
#include <vector>

#include "base/options.hpp"

namespace credens::cli {

struct FitSettings {
  DatasetOptions columns = {};
  FitOptions options = {};
  std::string validation_file = {};  ///< beside options.validation_fraction
};

/// A row of the table, with what `--help` shows beside its help.
struct Setting {
  base::Option<FitSettings> option;
  std::string value;  ///< how the value is called
  std::string group;  ///< title
};

const std::vector<Setting>& fit_settings();

}  // namespace credens::cli
