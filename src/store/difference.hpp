// SPDX-License-Identifier: Apache-2.0
//
// Why two fits do not belong together, in words.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/ensemble_state.hpp"

namespace credens::store {

/// The first option that differs, as "epochs = 60, now 80" with `other_is` = "now". `options` come first, `other`
/// second.
std::optional<std::string> option_difference(const base::OptionValues& options, const base::OptionValues& other,
                                             std::string_view other_is);

/// How the data differ, as "other data: 768 rows, now 700".
std::optional<std::string> data_difference(const model::DataSummary& data, const model::DataSummary& other,
                                           std::string_view other_is);

}  // namespace credens::store
