// SPDX-License-Identifier: Apache-2.0
//
// Processes that do one piece of work together. All run the same program on the same words and come to the same calls
// in the same order; who did what never shows in a result, because whatever is summed is summed in a fixed order.

#pragma once

#include <credens/error.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace credens::base {

/// A team of one, which every process is unless it joined others: nothing is sent, and nothing is waited for.
///
/// Whoever waits for others throws the error of the first rank that failed before it came there.
class Team {
 public:
  using Taker = std::function<void(std::string_view bytes)>;

  Team() = default;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  virtual ~Team() = default;

  virtual std::size_t rank() const { return 0; }
  virtual std::size_t size() const { return 1; }
  bool leads() const { return rank() == 0; }
  bool is_alone() const { return size() == 1; }

  /// Rank 0 takes what every rank gave, by rank, and holds that of one at a time. Nobody returns before all have come.
  virtual void collect(std::string bytes, const Taker& take) { take(bytes); }

  /// Gives all ranks the bytes of rank 0.
  virtual std::string broadcast(std::string bytes) { return bytes; }

  /// Ends all ranks at once with an error that this one met alone, where the others would not wait for it soon. Returns
  /// in a team of one, which has nobody else to end.
  virtual void abort(const Error& /*error*/) {}

  std::vector<std::string> gather(std::string bytes);  ///< what every rank gave, by rank, at rank 0; nothing elsewhere
  std::string all_gather(std::string bytes);           ///< the same at all ranks, one after the other
};

/// The share of `count` things that falls to `rank`: the same number for all, or one less.
struct Share {
  std::size_t first = 0;
  std::size_t end = 0;
};
inline Share share_of(std::size_t count, std::size_t rank, std::size_t size) {
  return {.first = rank * count / size, .end = (rank + 1) * count / size};
}

/// Pieces that were dealt to ranks in turn, piece i to rank i modulo their number, in order at rank 0.
std::vector<std::string> gather_dealt(Team& team, std::vector<std::string> own);

/// The team of one, for whoever is given none.
inline Team& alone() {
  static Team team;
  return team;
}

}  // namespace credens::base
