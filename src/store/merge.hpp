// SPDX-License-Identifier: Apache-2.0
//
// Which fits belong together, and parts of an ensemble that were trained apart and become one, the same bytes as if
// trained together.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "model/ensemble_state.hpp"

namespace credens::store {

/// The first option that differs, as "epochs = 60, now 80" with `other_is` = "now". `options` come first, `other`
/// second.
std::optional<std::string> option_difference(const base::OptionValues& options, const base::OptionValues& other,
                                             std::string_view other_is);

/// How the data differ, as "other data: 768 rows, now 700".
std::optional<std::string> data_difference(const model::DataSummary& data, const model::DataSummary& other,
                                           std::string_view other_is);

/// Parts with the names used in sentences. Throws model naming the part that is foreign (other options or data), the
/// member that is missing or that comes twice.
Ensemble merge(std::span<const std::pair<std::string, Ensemble>> parts);

}  // namespace credens::store
