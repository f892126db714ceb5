// SPDX-License-Identifier: Apache-2.0
//
// Which rows are held out of a member. They tell how good it is at new ones.

#pragma once

#include <credens/fit.hpp>

#include <cstdint>
#include <vector>

namespace credens::learn {

/// Rows of the one part that is held out of all members: enough for calibration, at most a tenth of the rows.
std::size_t part_size(std::size_t rows);

/// The random partition of the rows that a member belongs to, and the fold of it that is held out.
struct FoldPlace {
  std::size_t partition = 0;
  std::size_t fold = 0;
};

FoldPlace fold_place(const FitOptions& options, std::size_t member);

/// The rows of the training set that are held out of a member, ascending. `options` have all choices made.
///
/// With K > 1 folds the first K replicates of a configuration share a random partition into K folds, one held out of
/// each; the next K replicates have another partition. With one fold the same part is held out of all members. With
/// none all members are trained on all rows.
std::vector<std::uint32_t> held_out_rows(const FitOptions& options, std::size_t member, std::size_t rows);

/// The rows of the training set that a member is trained on, ascending.
std::vector<std::uint32_t> seen_rows(const FitOptions& options, std::size_t member, std::size_t rows);

}  // namespace credens::learn
