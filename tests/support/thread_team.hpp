// SPDX-License-Identifier: Apache-2.0
//
// A team whose ranks are threads of a test.

#pragma once

#include <barrier>
#include <string>
#include <thread>
#include <vector>

#include "base/team.hpp"

namespace credens::test {

struct Meeting {
  explicit Meeting(std::size_t size) : all(static_cast<std::ptrdiff_t>(size)), given(size) {}

  std::barrier<> all;
  std::vector<std::string> given;
};

class ThreadTeam : public base::Team {
 public:
  ThreadTeam(Meeting& meeting, std::size_t rank) : meeting_(meeting), rank_(rank) {}

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return meeting_.given.size(); }

  void collect(std::string bytes, const Taker& take) override {
    const std::vector<std::string> all = exchange(std::move(bytes));
    if (!leads()) return;
    for (const std::string& of_rank : all) take(of_rank);
  }
  std::string broadcast(std::string bytes) override { return exchange(std::move(bytes)).front(); }

 private:
  std::vector<std::string> exchange(std::string bytes) {
    meeting_.given[rank_] = std::move(bytes);
    meeting_.all.arrive_and_wait();
    std::vector<std::string> all = meeting_.given;
    meeting_.all.arrive_and_wait();
    return all;
  }

  Meeting& meeting_;
  std::size_t rank_;
};

/// work(team) as every rank; it must not throw.
template <class Work>
void run_team(std::size_t size, const Work& work) {
  Meeting meeting(size);
  std::vector<std::jthread> ranks;
  for (std::size_t rank = 0; rank < size; ++rank) {
    ranks.emplace_back([&meeting, &work, rank] {
      ThreadTeam team(meeting, rank);
      work(team);
    });
  }
}

}  // namespace credens::test
