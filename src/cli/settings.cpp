// SPDX-License-Identifier: Apache-2.0

#include "cli/settings.hpp"

#include <algorithm>

#include "cli/columns.hpp"
#include "learn/recipe.hpp"

namespace credens::cli {

namespace {

/// Validation rows are a share of the training rows (the library's option) or, on the command line, also a file.
base::Option<FitSettings> with_a_file(const base::Option<FitSettings>& share) {
  base::Option<FitSettings> option = share;
  option.name = "validation";
  option.value = "SHARE|FILE";
  option.help =
      "Share of the rows held out, or a file of other rows, to choose each member's best epoch; 0 trains on all rows "
      "to the last epoch";
  option.expects += ", or a file";
  option.get = [share](const FitSettings& settings) {
    return settings.validation_file.empty() ? share.get(settings) : settings.validation_file;
  };
  option.set = [share, flag = base::flag_of(option.name), expects = option.expects](FitSettings& settings,
                                                                                    std::string_view text) {
    const bool is_number = base::parse_double(text).has_value();
    base::explain(flag, text, expects, [&] { share.set(settings, is_number ? text : "0"); });
    settings.validation_file = is_number ? "" : std::string(text);
  };
  return option;
}

}  // namespace

const base::OptionTable<FitSettings>& fit_settings() {
  static const base::OptionTable<FitSettings> all = [] {
    base::OptionTable<FitSettings> table;
    table.include(dataset_options(), &FitSettings::columns).include(learn::fit_options(), &FitSettings::options);
    auto& validation = *std::ranges::find(table.options(), "validation_fraction", &base::Option<FitSettings>::name);
    validation = with_a_file(validation);
    return table;
  }();
  return all;
}

}  // namespace credens::cli
