// SPDX-License-Identifier: Apache-2.0
//
// Settings of a fit, by flag and by configuration file alike: how the table is read and the options of training, in one
// table.

#pragma once

#include <credens/dataset.hpp>
#include <credens/fit.hpp>

#include <string>

#include "base/options.hpp"

namespace credens::cli {

struct FitSettings {
  DatasetOptions columns = {};
  FitOptions options = {};
  std::string validation_file = {};  ///< beside options.validation_fraction
};

const base::OptionTable<FitSettings>& fit_settings();

}  // namespace credens::cli
