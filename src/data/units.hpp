// SPDX-License-Identifier: Apache-2.0
//
// Units of columns, kept apart from their names: `length [mm]` and `length (mm)` are the column `length` in mm.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace credens::data {

struct NameAndUnit {
  std::string name;
  std::string unit = {};  ///< empty: none is known
  bool operator==(const NameAndUnit&) const = default;
};

/// A unit stands in brackets behind a name. Round ones need a blank or another bracket before them, `f(x)` has no unit;
/// a number in brackets, `x[0]` or `sales (2020)`, is none.
NameAndUnit split_unit(std::string_view label);

/// The unit that a cell below the names says: `[mm]` and `(mm)` are mm, a dash says that there is none.
std::string unit_of_cell(std::string_view cell);

/// Whether a cell below the names is made of symbols and words of common units, or stands in square brackets. A word
/// that is no unit is most likely a value.
bool looks_like_unit(std::string_view cell);

/// `length [mm]`, or the name alone where there is no unit.
std::string label_with_unit(const std::string& name, const std::string& unit);

/// Takes the units out of the names. `units` are those of a line below the names, or empty. Columns that would then
/// have the same name keep their full names and have no unit. Where no column has a unit, `units` is empty afterwards.
void separate_units(std::vector<std::string>& names, std::vector<std::string>& units);

}  // namespace credens::data
