// SPDX-License-Identifier: Apache-2.0
//
// Widening with rows that are not in memory.

#pragma once

#include <credens/widen.hpp>

#include <span>
#include <vector>

#include "data/row_source.hpp"

namespace credens::learn {

/// The same bits as credens::widen gives for a dataset with these rows, in memory that does not grow with them.
Ensemble widen(const Ensemble& ensemble, data::RowSource& train, const WidenOptions& options = {});

/// The same for several rungs, by one pass over the rows.
std::vector<Ensemble> widen_each(const Ensemble& ensemble, data::RowSource& train, std::span<const PosteriorKind> rungs,
                                 int threads);

}  // namespace credens::learn
