// SPDX-License-Identifier: Apache-2.0
//
// Widening with rows that are not in memory.

#pragma once

#include <credens/widen.hpp>

#include "base/team.hpp"
#include "data/row_source.hpp"

namespace credens::learn {

/// The same bits as credens::widen gives for a dataset with these rows, in memory that does not grow with them.
/// The ranks of a team, which all come here with the same ensemble and rows, share the work.
Ensemble widen(const Ensemble& ensemble, data::RowSource& train, const WidenOptions& options = {},
               base::Team& team = base::alone());

}  // namespace credens::learn
