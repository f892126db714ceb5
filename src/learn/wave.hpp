// SPDX-License-Identifier: Apache-2.0
//
// How much of widening is done at once. Blocks of rows are added in order whatever these numbers are: they change
// memory and time alone.

#pragma once

#include <cstddef>
#include <cstdint>

#include "base/team.hpp"

namespace credens::learn {

/// Of one block of rows, in bytes.
struct BlockSize {
  std::size_t rows = 0;
  std::size_t sums = 0;  ///< of all members
};

struct Wave {
  std::size_t blocks = 1;  ///< that a rank sums at once
  std::size_t ranks = 1;   ///< that hand their sums to rank 0 at once
};

/// A block for each thread, and all ranks: as long as rows, sums, and sums at rank 0 each take no more than `memory`.
/// At least one.
Wave wave_within(std::uint64_t memory, const BlockSize& size, std::size_t threads, std::size_t ranks);

/// The same for all ranks, by what rank 0 has: a sixteenth of its memory, since training rows may take half of it.
Wave wave_of_team(const BlockSize& size, int threads, base::Team& team);

}  // namespace credens::learn
