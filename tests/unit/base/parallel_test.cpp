// SPDX-License-Identifier: Apache-2.0

#include "base/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace credens::base {
namespace {

std::string failure_of(std::size_t count, int threads, const std::function<void(std::size_t)>& task) {
  try {
    parallel_for(count, threads, task);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(ThreadCount, IsWhatWasAskedFor) {
  EXPECT_EQ(thread_count(1), 1);
  EXPECT_EQ(thread_count(17), 17);
}

TEST(ThreadCount, IsAllCoresForZero) {
  EXPECT_GE(thread_count(0), 1);
}

TEST(ParallelFor, RunsEveryIndexOnce) {
  for (const int threads : {0, 1, 2, 3, 8}) {
    for (const std::size_t count : {1U, 2U, 7U, 1000U}) {
      std::vector<std::atomic<int>> runs(count);
      parallel_for(count, threads, [&](std::size_t index) { ++runs.at(index); });
      for (const auto& times : runs) EXPECT_EQ(times, 1) << threads << " threads, " << count << " tasks";
    }
  }
}

TEST(ParallelFor, DoesNothingForNoTasks) {
  parallel_for(0, 4, [](std::size_t) { FAIL() << "there is no task to run"; });
}

TEST(ParallelFor, UsesNoMoreThreadsThanAskedFor) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  parallel_for(200, 3, [&](std::size_t) {
    const std::lock_guard lock(mutex);
    seen.insert(std::this_thread::get_id());
  });
  EXPECT_LE(seen.size(), 3U);
}

TEST(ParallelFor, OneThreadIsTheCallersInOrder) {
  const auto caller = std::this_thread::get_id();
  std::vector<std::size_t> order;
  parallel_for(5, 1, [&](std::size_t index) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    order.push_back(index);
  });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(ParallelFor, RunsTasksSideBySide) {
  // Each task waits for the other, so one thread alone would never end.
  std::atomic<int> arrived = 0;
  parallel_for(2, 2, [&](std::size_t) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 2);
}

TEST(ParallelFor, RethrowsTheFailureOfTheLowestIndex) {
  // Indices start in order, so every index below a failing one has run too.
  for (int repetition = 0; repetition < 50; ++repetition) {
    for (const int threads : {1, 2, 5}) {
      const std::string failure = failure_of(40, threads, [](std::size_t index) {
        if (index == 3) std::this_thread::yield();
        if (index == 3 || index == 4 || index == 7) throw std::runtime_error(std::to_string(index));
      });
      EXPECT_EQ(failure, "3");
    }
  }
}

TEST(ParallelFor, StartsNoNewTasksAfterAFailure) {
  std::atomic<int> runs = 0;
  const std::string failure = failure_of(1000, 1, [&](std::size_t index) {
    ++runs;
    if (index == 10) throw std::runtime_error("ten");
  });
  EXPECT_EQ(failure, "ten");
  EXPECT_EQ(runs, 11);
}

}  // namespace
}  // namespace credens::base
