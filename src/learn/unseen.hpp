// SPDX-License-Identifier: Apache-2.0
//
// Words that a member was not trained on, and numbers that are missing where none was, are to it a draw of its own from
// what it learned of the column. Members draw differently, so that they disagree as much as the column
// matters: that is ignorance, not noise.
//
// The draw of member l from n values is number floor(n frac(u + l / phi)), with phi the golden ratio and u uniform by
// seed and column: each alone is uniform, and the members of an ensemble of any size are spread evenly.

#pragma once

#include <cstdint>
#include <vector>

#include "data/row_summary.hpp"
#include "model/mlp.hpp"

namespace credens::learn {

struct DrawPlace {
  std::uint64_t seed = 0;
  std::size_t member = 0;
  std::size_t column = 0;
  std::size_t code = 0;  ///< of a word; 0 for numbers
};

/// One of `count` values, which are at least one.
std::size_t drawn_value(const DrawPlace& place, std::size_t count);

/// Values of the numbers among the inputs in network units, ascending, at most 1,000 of each; none for a column that is
/// missing in all rows of the sample.
std::vector<std::vector<float>> number_values(const data::RowSample& sample, const data::Encoder& encoder);

/// A value for each number that is missing without a flag; 0 where there is nothing to draw from.
std::vector<float> substitutes_for(const std::vector<std::vector<float>>& values, std::uint64_t seed,
                                   std::size_t member);

/// Rows of the tables that no training row used become copies of rows that were trained.
void complete_tables(const std::vector<bool>& is_used, std::uint64_t seed, std::size_t member, model::Mlp& network);

}  // namespace credens::learn
