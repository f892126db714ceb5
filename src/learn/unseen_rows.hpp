// SPDX-License-Identifier: Apache-2.0
//
// Which rows a member does not see, where there are more than a window holds: found block by block, so that nothing
// grows with the rows. Rows are counted as in the source.

#pragma once

#include <credens/fit.hpp>

#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "learn/windows.hpp"

namespace credens::learn {

/// Different rows as `random` draws them, none of `without` (ascending) among them.
std::vector<std::uint32_t> drawn_rows(base::RandomStream& random, std::size_t rows,
                                      const std::vector<std::uint32_t>& without, std::size_t count);

/// The first part_size(rows) are those that no member sees where there is one fold, and a sample to judge members by
/// where there are more; the others follow.
std::vector<std::uint32_t> draw_judging_rows(std::uint64_t seed, std::size_t rows,
                                             const std::vector<std::uint32_t>& held_back, std::size_t count);

class UnseenRows {
 public:
  UnseenRows(const FitOptions& options, std::size_t member, std::size_t rows, const Windows& windows,
             const std::vector<std::uint32_t>& held_back);

  /// Ascending. With K > 1 folds every block is parted by itself, in the way that learn/folds.hpp parts all rows, and
  /// fold f takes part f + b modulo K of block b: folds differ by a few rows, however few a block has.
  std::vector<std::uint32_t> in_block(std::size_t block) const;

  /// Of ascending rows.
  std::vector<bool> contains(const std::vector<std::uint32_t>& rows) const;

 private:
  void add_fold(std::size_t block, std::vector<std::uint32_t>& unseen) const;

  const FitOptions& options_;
  std::size_t member_;
  const Windows& windows_;
  std::vector<std::uint32_t> listed_;  ///< held back, and the one part where that is not seen by anyone
};

}  // namespace credens::learn
