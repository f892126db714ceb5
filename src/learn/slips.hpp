// SPDX-License-Identifier: Apache-2.0
//
// Slips of the pen among the targets: values so far from all others that no fit should believe them.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/row_summary.hpp"

namespace credens::learn {

/// Rows with a target that is hard to believe, ascending. Letters: n rows that count, m the median of a target, s its
/// interquartile range / 1.349, d_i = |y_i - m| / s.
///
/// The largest set of at most n / 50 values (one at least) is doubted whose d are all above 20 and at least 10 times as
/// large as every other d. Heavy tails rarely have such a gap. Targets of fewer than 20 rows and those with s = 0 are
/// believed, and so are values that the inputs foretell: those of which a quarter of the five nearest neighbours, in
/// standardised inputs, are doubted as well.
std::vector<std::uint32_t> find_slips(const data::RowSummary& summary);

/// The moments of the targets without these rows.
data::ColumnMoments moments_without(const data::RowKeys& keys, std::size_t targets,
                                    const std::vector<std::uint32_t>& rows);

/// `line 17`, `lines 17, 45 and 3 more`; rows of arrays are counted from 0. `first_line` is that of row 0, or 0.
std::string places_of(const std::vector<std::uint32_t>& rows, std::size_t first_line);

}  // namespace credens::learn
