// SPDX-License-Identifier: Apache-2.0
//
// What one pass over rows tells.

#pragma once

#include <string>

#include "data/column_moments.hpp"
#include "data/row_source.hpp"

namespace credens::data {

struct RowSummary {
  std::size_t rows = 0;
  double weight_total = 0;  ///< the number of rows where there are no weights
  std::string fingerprint;  ///< as that of a Dataset with these rows
  ColumnMoments inputs;
  ColumnMoments targets;
};

/// From the first row to the last; the source is left at its first row.
RowSummary summarise(RowSource& source);

/// What sentences call the columns: `column "age"`, or by position in the table.
std::vector<std::string> input_labels(const DatasetParts& layout);
std::vector<std::string> target_labels(const DatasetParts& layout);

}  // namespace credens::data
