// SPDX-License-Identifier: Apache-2.0

#include "base/parallel.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace credens::base {

namespace {

std::atomic<int> processes_on_cores = 1;

int usable_cores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) return CPU_COUNT(&cores);
  return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

int thread_count(int requested) {
  return requested > 0 ? requested : std::max(1, usable_cores() / processes_on_cores);
}

void share_cores(int processes) {
  processes_on_cores = std::max(1, processes);
}

namespace {

struct Run {
  std::size_t count;
  const std::function<void(std::size_t)>& task;
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::size_t failed_index = SIZE_MAX;
  std::exception_ptr failure;

  void work() {
    for (std::size_t index = next++; index < count; index = next++) {
      try {
        task(index);
      } catch (...) {
        next = count;
        const std::lock_guard lock(mutex);
        if (index < failed_index) {
          failed_index = index;
          failure = std::current_exception();
        }
      }
    }
  }
};

}  // namespace

void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& task) {
  Run run{.count = count, .task = task};
  const std::size_t workers = std::min<std::size_t>(thread_count(threads), count);
  {
    std::vector<std::jthread> helpers;
    try {
      for (std::size_t i = 1; i < workers; ++i) helpers.emplace_back([&run] { run.work(); });
    } catch (const std::system_error&) {  // no more threads to be had: the ones there are do the work
    }
    run.work();
  }
  if (run.failure) std::rethrow_exception(run.failure);
}

}  // namespace credens::base
