// SPDX-License-Identifier: Apache-2.0
//
// What a cell of a text table holds: a number, or which kind of something else.

#pragma once

#include <string>
#include <string_view>

namespace credens::data {

enum class CellKind {
  number,
  missing,        ///< empty, NA, null, ...
  not_finite,     ///< nan, inf
  overflow,       ///< a number beyond the largest double
  hexadecimal,    ///< 0x1p3
  decimal_comma,  ///< 1,5
  text,
};

struct Cell {
  CellKind kind = CellKind::text;
  double value = 0;
};

/// Reads a number at `first`, with an optional '+'. Returns where it ends, or `first` if there is no finite one.
const char* read_number(const char* first, const char* last, double& value);

/// `text` has no surrounding blanks.
Cell read_cell(std::string_view text);

/// `"abc" is not a number`, `missing value, expected a number`, ...
std::string complaint(CellKind kind, std::string_view text);

}  // namespace credens::data
