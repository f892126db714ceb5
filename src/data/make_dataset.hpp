// SPDX-License-Identifier: Apache-2.0
//
// Rows of a table, whole or a block of it, as the parts of a dataset. Sentences name the place in the file.

#pragma once

#include <credens/dataset.hpp>

#include <string>

#include "data/column_roles.hpp"
#include "data/table.hpp"

namespace credens::data {

/// Inputs, targets, weights and noise of all rows of `table`; bad values throw data.
void take_rows(const Table& table, const ColumnRoles& columns, DatasetParts& parts);

/// Inputs, targets, weights and noise as `options` assign them; contradictions throw usage, bad values data.
Dataset make_dataset(const Table& table, const DatasetOptions& options);

/// Throws data unless the sum of all weights of a file is positive and finite.
void check_weight_total(double total, const std::string& source);

}  // namespace credens::data
