// SPDX-License-Identifier: Apache-2.0

#include "cli/interrupt.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>

namespace credens::cli {
namespace {

bool soon(const std::stop_token& token) {
  for (int tries = 0; tries < 500 && !token.stop_requested(); ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return token.stop_requested();
}

TEST(InterruptWatch, TurnsTheFirstSignalIntoARequest) {
  for (const int signal : {SIGTERM, SIGHUP, SIGINT}) {
    const InterruptWatch watch;
    EXPECT_FALSE(watch.token().stop_requested());
    ::kill(::getpid(), signal);
    EXPECT_TRUE(soon(watch.token())) << signal;
  }
}

TEST(InterruptWatch, LeavesIgnoredSignalsAlone) {
  std::signal(SIGINT, SIG_IGN);
  {
    const InterruptWatch watch;
    ::kill(::getpid(), SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_FALSE(watch.token().stop_requested());
  }
  std::signal(SIGINT, SIG_DFL);
}

TEST(InterruptWatchDeathTest, DiesOfTheSecondSignal) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const InterruptWatch watch;
        ::kill(::getpid(), SIGINT);
        soon(watch.token());
        ::kill(::getpid(), SIGINT);
        std::this_thread::sleep_for(std::chrono::seconds(5));
      },
      testing::KilledBySignal(SIGINT), "");
}

TEST(InterruptWatch, RestoresTheMask) {
  sigset_t before;
  sigset_t after;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
  { const InterruptWatch watch; }
  ::pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(sigismember(&before, SIGINT), sigismember(&after, SIGINT));
  EXPECT_EQ(sigismember(&after, SIGTERM), 0);
}

}  // namespace
}  // namespace credens::cli
