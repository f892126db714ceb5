// SPDX-License-Identifier: Apache-2.0
//
// Random splits into rows to train on and held-out rows.

#pragma once

#include <credens/dataset.hpp>

#include <cstddef>
#include <vector>

namespace credens::data {

/// Positions, each list in rising order; together all rows.
struct SplitRows {
  std::vector<std::size_t> rest;
  std::vector<std::size_t> test;
};

/// round(test_fraction * rows) rows at random for `test`, but at least one for each side. Fewer than two rows throw
/// usage.
SplitRows split_rows(std::size_t rows, const SplitOptions& options);

}  // namespace credens::data
