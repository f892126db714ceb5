// SPDX-License-Identifier: Apache-2.0
//
// Which rows a member sees. Those that it does not see tell how good it is at new ones.

#pragma once

#include <credens/fit.hpp>

#include <cstdint>
#include <vector>

namespace credens::learn {

/// The rows of the training set that a member does not see, ascending. `options` have all choices made.
///
/// With K > 1 folds the members of a kind share a random partition into K parts, of which the first member leaves out
/// the first, and so on; the next K members of that kind have another partition. With one fold no member sees the same
/// part. With none there is nothing to leave out.
std::vector<std::uint32_t> held_out_rows(const FitOptions& options, std::size_t member, std::size_t rows);

/// The others, ascending.
std::vector<std::uint32_t> seen_rows(const FitOptions& options, std::size_t member, std::size_t rows);

}  // namespace credens::learn
