// SPDX-License-Identifier: Apache-2.0
//
// Rows that a promise is made of: the values of the column that divides them into groups.

#pragma once

#include <credens/promise.hpp>

#include <string>
#include <vector>

#include "cli/rows.hpp"

namespace credens::cli {

/// The value of a column at each row, as text; throws data, with the place, where it is missing.
std::vector<std::string> group_names(const Rows& rows, const std::string& column);

/// Those of a promise that is divided by a column, of another none. Throws data, with the place, where the promise
/// knows no such group.
std::vector<std::string> group_names(const Rows& rows, const Promise& promise);

}  // namespace credens::cli
