// SPDX-License-Identifier: Apache-2.0
//
// Which input columns are bent, and how.

#pragma once

#include <span>
#include <string>

#include "data/column_moments.hpp"
#include "data/row_source.hpp"

namespace credens::data {

/// A column is heavy-tailed where one of its values lies more than this many standard deviations from its mean. Of n
/// rows none lies further than sqrt(n - 1), so with 20 rows or a few more nine tenths of that are enough.
double heavy_tail(std::size_t rows);

/// A scaler that standardises inputs and bends those that are heavy-tailed before: centre = median, width =
/// interquartile range / 1.349, the standard deviation of a normal column; where that is 0, the median distance from
/// the centre of the rows that are not at it. `moments` are those of the source's inputs. Where columns are bent, the
/// rows are read again and the source is left at its first; quantiles are those of at most 10,000 rows, spread evenly.
Scaler bending_scaler(RowSource& source, const ColumnMoments& moments, std::span<const std::string> labels);

}  // namespace credens::data
