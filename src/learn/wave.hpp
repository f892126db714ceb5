// SPDX-License-Identifier: Apache-2.0
//
// How much of widening is done at once. Blocks of rows are added in order whatever that number is: it changes memory
// and time alone.

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

/// Blocks that a rank sums at once: one for each thread as long as rows and sums each take no more than `memory`. At
/// least one.
std::size_t wave_within(std::uint64_t memory, const BlockSize& size, std::size_t threads);

/// The same for all ranks, by what rank 0 has: a sixteenth of its memory, since training rows may take half of it.
std::size_t wave_of_team(const BlockSize& size, int threads, base::Team& team);

}  // namespace credens::learn
