// SPDX-License-Identifier: Apache-2.0
//
// Which rows a member sees. Those that it does not see tell how good it is at new ones.

#pragma once

#include <credens/fit.hpp>

#include <cstdint>
#include <vector>

namespace credens::learn {

/// Enough to find a few numbers by, and at most a tenth of the rows.
std::size_t part_size(std::size_t rows);

/// Which partition of the rows a member belongs to, and which of its parts it does not see.
struct FoldPlace {
  std::size_t partition = 0;
  std::size_t fold = 0;
};

FoldPlace fold_place(const FitOptions& options, std::size_t member);

/// The rows of the training set that a member does not see, ascending. `options` have all choices made.
///
/// With K > 1 folds the members of a kind share a random partition into K parts, of which the first member leaves out
/// the first, and so on; the next K members of that kind have another partition. With one fold no member sees the same
/// part. With none there is nothing to leave out.
std::vector<std::uint32_t> held_out_rows(const FitOptions& options, std::size_t member, std::size_t rows);

/// The others, ascending.
std::vector<std::uint32_t> seen_rows(const FitOptions& options, std::size_t member, std::size_t rows);

}  // namespace credens::learn
