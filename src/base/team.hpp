// SPDX-License-Identifier: Apache-2.0
//
// Processes that do one piece of work together. All run the same program on the same words and come to the same calls
// in the same order; who did what never shows in a result, because whatever is summed is summed in a fixed order.

#pragma once

#include <credens/error.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace credens::base {

/// The first thing that went wrong on any rank.
struct TeamFailure {
  ErrorCode code = ErrorCode::failure;
  std::string sentence;
};

/// A team of one, which every process is unless it joined others: nothing is sent, and nothing is waited for.
///
/// What waits throws when another rank has failed, with that rank's code and sentence.
class Team {
 public:
  using Listener = std::function<void(std::size_t from, std::string_view bytes)>;

  Team() = default;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  virtual ~Team() = default;

  virtual std::size_t rank() const { return 0; }
  virtual std::size_t size() const { return 1; }
  virtual std::size_t node_leader() const { return 0; }  ///< the first rank on this machine
  bool leads() const { return rank() == 0; }
  bool is_alone() const { return size() == 1; }

  /// What every rank gave, by rank, at rank 0; nothing elsewhere. Nobody returns before all have given.
  virtual std::vector<std::string> gather(std::string bytes) { return {std::move(bytes)}; }

  /// What rank 0 gave.
  virtual std::string broadcast(std::string bytes) { return bytes; }

  /// To whoever listens at rank 0, while that does something else; what one rank posts arrives in order.
  virtual void post(std::string_view bytes) {
    if (listener_) listener_(0, bytes);
  }

  /// At rank 0, before others may post. Called by one thread at a time, not the caller's; what it throws is a failure
  /// of rank 0. Null: ends it, and waits for a call that is under way.
  virtual void listen(Listener listener) { listener_ = std::move(listener); }

  virtual std::stop_token stop() const { return {}; }  ///< asked for when a rank has failed
  virtual std::optional<TeamFailure> failure() const { return {}; }

 private:
  Listener listener_;
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
std::vector<std::string> gather_dealt(Team& team, const std::vector<std::string>& own);

/// The team of one, for whoever is given none.
inline Team& alone() {
  static Team team;
  return team;
}

}  // namespace credens::base
