// SPDX-License-Identifier: Apache-2.0
//
// How a table is written, recognised from its first lines.

#pragma once

#include <credens/dataset.hpp>

#include <cstddef>
#include <string_view>

namespace credens::data {

/// How many lines tell how a file is written.
constexpr std::size_t sampled_lines = 20;

/// How a table is written: its marks, and what its first lines hold.
struct Dialect {
  char delimiter = ',';
  char decimal = '.';  ///< the mark before the fraction of a number
  bool header = false;
  bool header_recognised = false;  ///< by us, not said by the user
  bool header_doubtful = false;    ///< recognised, but it may be a row with a slip
  bool unit_line = false;          ///< whether the line below the names holds units
  bool doubtful_units = false;     ///< that line has words above numbers, which look like no units: it is a row
};

/// How many lines it takes to recognise what `format` does not say. If `format` gives header, delimiter and decimal
/// mark (a delimiting comma implies the point), no line is looked at, and a unit line is expected only if `format` says
/// so.
std::size_t lines_to_recognise(const TableFormat& format);

/// Recognises from the first lines of `text`, which is not blank, all that `format` does not say. Marks that are none
/// or contradict each other throw usage.
Dialect recognise_dialect(std::string_view text, const TableFormat& format);

}  // namespace credens::data
