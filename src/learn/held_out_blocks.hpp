// SPDX-License-Identifier: Apache-2.0
//
// Which rows are held out of a member where there are more rows than a window holds: found block by block, so that no
// list grows with the rows. Rows are counted as in the source. Validation rows are held out of all members.

#pragma once

#include <credens/fit.hpp>

#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "learn/windows.hpp"

namespace credens::learn {

/// Draws `count` distinct rows, none of `without` (ascending) among them.
std::vector<std::uint32_t> drawn_rows(base::RandomStream& random, std::size_t rows,
                                      const std::vector<std::uint32_t>& without, std::size_t count);

/// Draws rows to compare members by. The first part_size(rows) are, with one fold, those that are held out of all
/// members, and with more folds a sample.
std::vector<std::uint32_t> draw_judging_rows(std::uint64_t seed, std::size_t rows,
                                             const std::vector<std::uint32_t>& validation, std::size_t count);

class HeldOutBlocks {
 public:
  HeldOutBlocks(const FitOptions& options, std::size_t member, std::size_t rows, const Windows& windows,
                const std::vector<std::uint32_t>& validation);

  /// Held-out rows of a block, ascending. With K > 1 folds every block has a random partition into K parts of its own,
  /// and fold f takes part f + b modulo K of block b: folds differ by a few rows, however few a block has.
  std::vector<std::uint32_t> in_block(std::size_t block) const;

  /// Whether each of the rows, which ascend, is held out.
  std::vector<bool> contains(const std::vector<std::uint32_t>& rows) const;

 private:
  void add_fold(std::size_t block, std::vector<std::uint32_t>& held_out) const;

  const FitOptions& options_;
  std::size_t member_;
  const Windows& windows_;
  std::vector<std::uint32_t> listed_;  ///< validation rows, and with one fold the part held out of all members
};

}  // namespace credens::learn
