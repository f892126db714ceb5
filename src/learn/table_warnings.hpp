// SPDX-License-Identifier: Apache-2.0
//
// Warnings about a training table as a whole, one sentence each.

#pragma once

#include <credens/fit.hpp>

#include "learn/training_table.hpp"

namespace credens::learn {

/// Warns (options.on_warning) of constant columns, of a target that one value decides, of copies, slips and classes of
/// one row.
void warn_of_table(const TrainingTable& table, const FitOptions& options);

}  // namespace credens::learn
