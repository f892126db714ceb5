// SPDX-License-Identifier: Apache-2.0
//
// The places, in what the user gave, of rows that a page names.

#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "arrays.hpp"
#include "report/page_parts.hpp"

namespace credens::python {

/// `numbers` are those of all rows. Arrays of networks trained elsewhere have no inputs to show.
inline report::RowPlaces places_of(const std::set<std::size_t>& shown, const std::optional<Array2>& inputs,
                                   const std::vector<std::size_t>& numbers) {
  report::RowPlaces places;
  for (const std::size_t row : shown) {
    places.numbers[row] = numbers[row];
    if (!inputs) continue;
    const auto values = view_of(*inputs).row(row);
    places.inputs[row].assign(values.begin(), values.end());
  }
  return places;
}

}  // namespace credens::python
