// SPDX-License-Identifier: Apache-2.0

#include "cli/wired_team.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <new>

#include "base/bytes.hpp"
#include "cli/print.hpp"

namespace credens::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Patience short_patience{.beat = std::chrono::milliseconds(20),
                                  .silence = std::chrono::milliseconds(400),
                                  .farewell = std::chrono::milliseconds(200)};

/// Ranks that are threads of this process; each can be cut off, and its wire can break.
class Network {
 public:
  explicit Network(std::size_t size) : boxes_(size), cut_(size, false), broken_(size), is_held_(size) {}

  std::size_t size() const { return boxes_.size(); }

  void send(std::size_t from, std::size_t to, Channel channel, std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    if (!cut_[from] && !cut_[to]) boxes_[to][channel == Channel::data].push_back({from, std::string(bytes)});
  }

  bool receive(std::size_t rank, Channel channel, Message& message) {
    const std::lock_guard lock(mutex_);
    auto& box = boxes_[rank][channel == Channel::data];
    if (box.empty()) return false;
    message = std::move(box.front());
    box.pop_front();
    return true;
  }

  void cut_off(std::size_t rank) {
    const std::lock_guard lock(mutex_);
    cut_[rank] = true;
  }

  void break_wire(std::size_t rank) { broken_[rank] = true; }
  void refuse_to_close(std::size_t rank) { is_held_[rank] = true; }
  void check(std::size_t rank) const {
    if (broken_[rank]) throw Error(ErrorCode::failure, "the wire is broken");
  }
  void close(std::size_t rank) const {
    if (is_held_[rank]) throw Error(ErrorCode::failure, "somebody never closed");
  }

 private:
  std::mutex mutex_;
  std::vector<std::array<std::deque<Message>, 2>> boxes_;
  std::vector<bool> cut_;
  std::vector<std::atomic<bool>> broken_;
  std::vector<std::atomic<bool>> is_held_;
};

class NetworkWire : public Wire {
 public:
  NetworkWire(Network& network, std::size_t rank) : network_(network), rank_(rank) {}

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return network_.size(); }
  std::size_t node_leader() const override { return 0; }
  void send(std::size_t to, Channel channel, std::string_view bytes) override {
    network_.check(rank_);
    network_.send(rank_, to, channel, bytes);
  }
  bool receive(Channel channel, Message& message) override {
    network_.check(rank_);
    return network_.receive(rank_, channel, message);
  }
  void close() override { network_.close(rank_); }
  void abort(int status) override { aborted_with = status; }

  std::atomic<int> aborted_with = 0;

 private:
  Network& network_;
  std::size_t rank_;
};

/// What each rank's work came to: its status, or that of the error it ended with.
struct Outcome {
  int status = 0;
  int aborted_with = 0;
  std::string sentence;
};

std::vector<Outcome> run(std::size_t size, const std::function<void(WiredTeam&, Network&)>& work) {
  Network network(size);
  std::vector<Outcome> outcomes(size);
  std::vector<std::jthread> ranks;
  for (std::size_t rank = 0; rank < size; ++rank) {
    ranks.emplace_back([&, rank] {
      NetworkWire wire(network, rank);
      WiredTeam team(wire, short_patience);
      Outcome& outcome = outcomes[rank];
      try {
        work(team, network);
      } catch (const Error& error) {
        outcome.status = error.exit_status();
        outcome.sentence = error.what();
        team.fail(error.code(), error.what());
      } catch (const std::bad_alloc&) {
        outcome.status = 1;  // and nobody is told
      }
      outcome.status = team.leave(outcome.status);
      outcome.aborted_with = wire.aborted_with;
    });
  }
  ranks.clear();
  return outcomes;
}

TEST(WiredTeam, GathersByRankAndBroadcastsToAll) {
  for (const std::size_t size : {2U, 3U, 4U, 7U, 8U}) {
    const auto outcomes = run(size, [](WiredTeam& team, Network&) {
      for (int round = 0; round < 20; ++round) {
        const std::vector<std::string> all = team.gather(fmt::format("{} of rank {}", round, team.rank()));
        ASSERT_EQ(all.size(), team.leads() ? team.size() : 0);
        for (std::size_t rank = 0; rank < all.size(); ++rank)
          EXPECT_EQ(all[rank], fmt::format("{} of rank {}", round, rank));
        const std::string word = fmt::format("round {}", round);
        EXPECT_EQ(team.broadcast(team.leads() ? word : "what others give does not count"), word);
      }
    });
    for (const Outcome& outcome : outcomes) EXPECT_EQ(outcome.status, 0) << outcome.sentence;
  }
}

TEST(WiredTeam, PutsPiecesThatWereDealtInOrder) {
  run(3, [](WiredTeam& team, Network&) {
    std::vector<std::string> own;
    for (std::size_t piece = team.rank(); piece < 7; piece += team.size()) own.push_back(std::to_string(piece));
    const std::vector<std::string> all = base::gather_dealt(team, own);
    if (team.leads()) {
      EXPECT_THAT(all, ElementsAre("0", "1", "2", "3", "4", "5", "6"));
    } else {
      EXPECT_TRUE(all.empty());
    }
  });
}

TEST(WiredTeam, DeliversPostsInOrderWhileRankZeroIsBusy) {
  std::vector<std::string> heard;
  std::atomic<std::size_t> count = 0;
  const auto listener = [&](std::size_t from, std::string_view bytes) {
    heard.push_back(fmt::format("{}:{}", from, bytes));
    ++count;
  };
  run(2, [&](WiredTeam& team, Network&) {
    if (team.leads()) team.listen(listener);
    team.broadcast({});
    if (!team.leads()) {
      for (const char* word : {"a", "b", "c"}) team.post(word);
      return;
    }
    while (count < 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    team.listen(nullptr);
  });
  EXPECT_THAT(heard, ElementsAre("1:a", "1:b", "1:c"));
}

TEST(WiredTeam, DeliversWhatHasComeBeforeItStopsListening) {
  std::vector<std::string> heard;
  run(2, [&](WiredTeam& team, Network&) {
    if (team.leads()) {
      team.listen([&](std::size_t, std::string_view bytes) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        heard.emplace_back(bytes);
      });
    }
    team.broadcast({});
    if (!team.leads()) {
      for (const char* word : {"a", "b", "c"}) team.post(word);
    }
    team.gather({});
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    if (team.leads()) team.listen(nullptr);
  });
  EXPECT_THAT(heard, ElementsAre("a", "b", "c"));
}

TEST(WiredTeam, GivesSignsOfLifeWhileAListenerTakesLong) {
  const auto outcomes = run(2, [](WiredTeam& team, Network&) {
    if (team.leads()) {
      team.listen([](std::size_t, std::string_view) { std::this_thread::sleep_for(3 * short_patience.silence); });
    }
    team.broadcast({});
    if (!team.leads()) team.post("a member for a disk that stalls");
    std::this_thread::sleep_for(2 * short_patience.silence);
    if (team.leads()) team.listen(nullptr);
    team.gather({});
  });
  for (const Outcome& outcome : outcomes) {
    EXPECT_EQ(outcome.status, 0) << outcome.sentence;
    EXPECT_EQ(outcome.aborted_with, 0);
  }
}

TEST(WiredTeam, EndsWithTheFailureOfAnyRank) {
  const auto outcomes = run(3, [](WiredTeam& team, Network&) {
    if (team.rank() == 2) throw Error(ErrorCode::data, "row 7 is bad");
    team.gather({});
    FAIL() << "one rank never came";
  });
  for (const Outcome& outcome : outcomes) EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcomes[0].sentence, "rank 2: row 7 is bad");
}

TEST(WiredTeam, EndsWithARankThatFailsAndTellsNobody) {
  for (const std::size_t culprit : {0U, 2U}) {
    const auto outcomes = run(3, [&](WiredTeam& team, Network&) {
      if (team.rank() == culprit) throw std::bad_alloc();
      team.gather({});
      FAIL() << "one rank never came";
    });
    for (const Outcome& outcome : outcomes) {
      EXPECT_EQ(outcome.status, 1);
      EXPECT_EQ(outcome.aborted_with, 0) << "all ranks came to their end";
    }
    EXPECT_EQ(outcomes[0].sentence, culprit == 0 ? "" : "rank 2: ended with status 1");
  }
}

TEST(WiredTeam, DoesNotWaitForARankThatHasLeft) {
  const auto outcomes = run(3, [](WiredTeam& team, Network&) {
    if (team.rank() != 1) team.gather({});
  });
  EXPECT_EQ(outcomes[0].status, 1);
  EXPECT_EQ(outcomes[0].sentence, "rank 1 ended before its part was done");
}

TEST(WiredTeam, AsksRunningWorkToStopWhenARankFails) {
  const auto outcomes = run(3, [](WiredTeam& team, Network&) {
    if (team.rank() == 1) throw Error(ErrorCode::numerical, "diverged");
    while (!team.stop().stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    throw Error(ErrorCode::interrupted, "stopped");
  });
  EXPECT_EQ(outcomes[0].aborted_with, 0) << "all ranks came to their end";
  EXPECT_EQ(outcomes[2].status, 6) << "the first failure counts";
}

TEST(WiredTeam, FailsWithWhatAListenerThrows) {
  const auto outcomes = run(2, [](WiredTeam& team, Network&) {
    if (team.leads())
      team.listen([](std::size_t, std::string_view) { throw Error(ErrorCode::io, "the disk is full"); });
    team.broadcast({});
    if (!team.leads()) team.post("a member");
    team.gather({});
    team.gather({});
    while (!team.failure()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    throw Error(team.failure()->code, team.failure()->sentence);
  });
  EXPECT_EQ(outcomes[0].status, 5);
  EXPECT_EQ(outcomes[0].sentence, "the disk is full");
  EXPECT_EQ(outcomes[1].status, 5);
}

TEST(WiredTeam, LosesARankThatFallsSilent) {
  const auto start = std::chrono::steady_clock::now();
  const auto outcomes = run(3, [](WiredTeam& team, Network& network) {
    team.gather({});
    if (team.rank() == 1) network.cut_off(1);
    team.gather({});
    FAIL() << "one rank is out of reach";
  });
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_THAT(outcomes[0].sentence, HasSubstr("rank 1 on "));
  EXPECT_THAT(outcomes[0].sentence, HasSubstr("is lost"));
  EXPECT_EQ(outcomes[0].aborted_with, 1);
  EXPECT_EQ(outcomes[1].aborted_with, 1) << "it ends itself";
}

TEST(WiredTeam, EndsOverAWireThatBreaks) {
  for (const std::size_t broken : {0U, 1U}) {
    const auto outcomes = run(3, [&](WiredTeam& team, Network& network) {
      team.gather({});
      if (team.rank() == broken) network.break_wire(broken);
      team.gather({});
      throw Error(ErrorCode::data, "nobody hears this");
    });
    EXPECT_EQ(outcomes[broken].sentence, "the wire is broken");
    EXPECT_EQ(outcomes[broken].aborted_with, 1);
    EXPECT_NE(outcomes[2].status, 0);
  }
}

TEST(WiredTeam, EndsOverAWireThatCannotBeClosed) {
  const auto outcomes = run(2, [](WiredTeam& team, Network& network) {
    if (team.rank() == 0) return;
    network.refuse_to_close(1);
    throw Error(ErrorCode::data, "row 7 is bad");
  });
  EXPECT_EQ(outcomes[0].aborted_with, 0);
  EXPECT_EQ(outcomes[1].aborted_with, 3);
}

TEST(WiredTeam, DoesNotWaitForWorkThatDoesNotStop) {
  testing::internal::CaptureStderr();
  const auto outcomes = run(2, [](WiredTeam& team, Network& network) {
    team.gather({});
    if (team.rank() == 1) network.cut_off(1);
    if (team.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  });
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("credens: rank 1 on "));
  EXPECT_EQ(outcomes[0].aborted_with, 1);
}

}  // namespace
}  // namespace credens::cli
