// SPDX-License-Identifier: Apache-2.0
//
// Widening with rows that are not in memory.

#pragma once

#include <credens/widen.hpp>

#include "data/row_source.hpp"

namespace credens::learn {

/// The same bits as credens::widen gives for a dataset with these rows, in memory that does not grow with them.
Ensemble widen(const Ensemble& ensemble, data::RowSource& train, const WidenOptions& options = {});

}  // namespace credens::learn
