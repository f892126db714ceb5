// SPDX-License-Identifier: Apache-2.0

#include "learn/wave.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"

namespace credens::learn {

std::size_t wave_within(std::uint64_t memory, const BlockSize& size, std::size_t threads) {
  const auto fitting = [&](std::size_t bytes) {
    return std::max<std::size_t>(memory / std::max<std::size_t>(bytes, 1), 1);
  };
  return std::min({threads, fitting(size.rows), fitting(size.sums)});
}

std::size_t wave_of_team(const BlockSize& size, int threads, base::Team& team) {
  constexpr std::uint64_t part = 16;
  std::string bytes;
  base::append_value(
      bytes, wave_within(base::process_memory() / part, size, static_cast<std::size_t>(base::thread_count(threads))));
  bytes = team.broadcast(std::move(bytes));
  return base::ByteReader(bytes).value<std::size_t>();
}

}  // namespace credens::learn
