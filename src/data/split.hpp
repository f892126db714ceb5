// SPDX-License-Identifier: Apache-2.0
//
// Which rows are held back.

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

/// Rows `first` to `end` - 1.
Dataset rows_between(const Dataset& data, std::size_t first, std::size_t end);

}  // namespace credens::data
