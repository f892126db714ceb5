// SPDX-License-Identifier: Apache-2.0
//
// Many processes that do the same again and again, to see whether they get in each other's way.

#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <vector>

namespace credens::test {

/// Runs `turn` in `processes` processes for so long, and again where it returns true. One that returns false or throws
/// fails the test.
inline void crowd(int processes, std::chrono::milliseconds duration, const std::function<bool()>& turn) {
  std::vector<::pid_t> children;
  const auto end = std::chrono::steady_clock::now() + duration;
  for (int i = 0; i < processes; ++i) {
    const ::pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      bool goes_well = true;
      try {
        while (goes_well && std::chrono::steady_clock::now() < end) goes_well = turn();
      } catch (...) {
        goes_well = false;
      }
      ::_exit(goes_well ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const ::pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
}

}  // namespace credens::test
