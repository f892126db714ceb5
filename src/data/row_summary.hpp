// SPDX-License-Identifier: Apache-2.0
//
// What one pass over rows tells.

#pragma once

#include <string>

#include "data/column_moments.hpp"
#include "data/heavy_tails.hpp"
#include "data/row_source.hpp"

namespace credens::data {

struct RowSummary {
  std::size_t rows = 0;
  double weight_total = 0;  ///< the number of rows where there are no weights
  std::string fingerprint;  ///< as that of a Dataset with these rows
  std::string digest;       ///< of a RowDigest, for whoever reads the rows again
  ColumnMoments inputs;
  ColumnMoments targets;
  RowSample sample;  ///< of the inputs; no rows where none was asked for
};

/// From the first row to the last; the source is left at its first row.
RowSummary summarise(RowSource& source, bool with_sample = false);

}  // namespace credens::data
