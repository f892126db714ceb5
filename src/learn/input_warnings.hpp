// SPDX-License-Identifier: Apache-2.0
//
// Warnings about rows without target and about words of a training table.

#pragma once

#include "learn/training_table.hpp"

namespace credens::learn {

/// Through options.on_warning, one sentence each.
void warn_of_inputs(const TrainingTable& table, const data::Encoder& encoder, const FitOptions& options);

}  // namespace credens::learn
