// SPDX-License-Identifier: Apache-2.0
//
// Which part each column of a table plays.

#pragma once

#include <credens/dataset.hpp>

#include <cstddef>
#include <vector>

#include "data/table.hpp"

namespace credens::data {

/// Positions of the columns of each part.
struct ColumnRoles {
  std::vector<std::size_t> targets;
  std::vector<std::size_t> inputs;
  std::vector<std::size_t> weight;  ///< none or one
  std::vector<std::size_t> noise;   ///< none, one or one per target
};

/// As `options` say; contradictions throw usage, columns that are not there data. The table needs no rows.
ColumnRoles assign_columns(const Table& table, const DatasetOptions& options);

/// What a dataset knows of its columns, without rows.
DatasetParts layout_of(const Table& table, const ColumnRoles& columns);

}  // namespace credens::data
