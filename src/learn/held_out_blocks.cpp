// SPDX-License-Identifier: Apache-2.0

#include "learn/held_out_blocks.hpp"

#include <algorithm>
#include <unordered_set>

#include "learn/folds.hpp"

namespace credens::learn {

std::vector<std::uint32_t> drawn_rows(base::RandomStream& random, std::size_t rows,
                                      const std::vector<std::uint32_t>& without, std::size_t count) {
  std::unordered_set<std::uint32_t> taken;
  std::vector<std::uint32_t> drawn;
  count = std::min(count, rows - without.size());
  while (drawn.size() < count) {
    const auto row = static_cast<std::uint32_t>(random.below(rows));
    if (!std::ranges::binary_search(without, row) && taken.insert(row).second) drawn.push_back(row);
  }
  return drawn;
}

std::vector<std::uint32_t> draw_judging_rows(std::uint64_t seed, std::size_t rows,
                                             const std::vector<std::uint32_t>& validation, std::size_t count) {
  base::RandomStream random({.seed = seed, .purpose = base::Purpose::folds, .attempt = 1});
  return drawn_rows(random, rows, validation, count);
}

HeldOutBlocks::HeldOutBlocks(const FitOptions& options, std::size_t member, std::size_t rows, const Windows& windows,
                             const std::vector<std::uint32_t>& validation)
    : options_(options), member_(member), windows_(windows), listed_(validation) {
  if (*options.folds != 1) return;
  const std::vector<std::uint32_t> part = draw_judging_rows(options.seed, rows, validation, part_size(rows));
  listed_.insert(listed_.end(), part.begin(), part.end());
  std::ranges::sort(listed_);
}

/// Adds the block's rows of the member's fold. Parts of a block differ by one row, and the short ones have the same
/// places in all blocks: folds rotate over the parts, so that no fold has the short part of every block. A block of few
/// wide rows may have empty parts.
void HeldOutBlocks::add_fold(std::size_t block, std::vector<std::uint32_t>& held_out) const {
  const std::size_t folds = options_.folds;
  const FoldPlace place = fold_place(options_, member_);
  const RowRange range = windows_.rows_of(block);
  base::RandomStream random({.seed = options_.seed,
                             .purpose = base::Purpose::folds,
                             .member = place.partition,
                             .attempt = 2,
                             .epoch = block});
  const std::vector<std::uint32_t> order = base::permutation(range.count, random);
  const std::size_t part = (place.fold + block) % folds;
  const std::size_t end = (part + 1) * range.count / folds;
  for (std::size_t i = part * range.count / folds; i < end; ++i) {
    held_out.push_back(static_cast<std::uint32_t>(range.first) + order[i]);
  }
  std::ranges::sort(held_out);
  held_out.erase(std::ranges::unique(held_out).begin(), held_out.end());
}

std::vector<std::uint32_t> HeldOutBlocks::in_block(std::size_t block) const {
  const RowRange range = windows_.rows_of(block);
  const auto first = std::ranges::lower_bound(listed_, range.first);
  const auto end = std::ranges::lower_bound(listed_, range.first + range.count);
  std::vector<std::uint32_t> held_out(first, end);
  if (options_.folds > 1) add_fold(block, held_out);
  return held_out;
}

std::vector<bool> HeldOutBlocks::contains(const std::vector<std::uint32_t>& rows) const {
  std::vector<bool> found;
  std::vector<std::uint32_t> held_out;
  std::size_t block = windows_.blocks();
  for (const std::uint32_t row : rows) {
    if (windows_.block_of(row) != block) held_out = in_block(block = windows_.block_of(row));
    found.push_back(std::ranges::binary_search(held_out, row));
  }
  return found;
}

}  // namespace credens::learn
