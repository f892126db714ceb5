// SPDX-License-Identifier: Apache-2.0

#include "base/claim.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "support/error_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace credens::base {
namespace {

using test::Fails;
using test::TemporaryFolder;

std::size_t files_in(const TemporaryFolder& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder.path()), {}));
}

TEST(Claim, HoldsForOneAtATime) {
  const TemporaryFolder folder;
  {
    const Claim first(folder / "m");
    EXPECT_THAT([&] { Claim(folder / "m"); },
                Fails(ErrorCode::usage, "m: another process is writing it, expected one at a time"));
    EXPECT_NO_THROW(Claim(folder / "other"));
  }
  EXPECT_EQ(files_in(folder), 0U);
  EXPECT_NO_THROW(Claim(folder / "m"));
}

TEST(Claim, KnowsAFileByAllItsNames) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("m", folder / "link");
  std::filesystem::create_directory(folder / "members");
  const Claim file(folder / "m");
  const Claim members(folder / "members");
  for (const char* name : {"./m", "members/../m", "members/"}) {
    EXPECT_THAT([&] { Claim(folder / name); }, Fails(ErrorCode::usage, "another process")) << name;
  }
}

TEST(Claim, DiesWithItsProcess) {
  const TemporaryFolder folder;
  const ::pid_t child = ::fork();
  if (child == 0) {
    const Claim claim(folder / "m");
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(files_in(folder), 1U);
  { const Claim claim(folder / "m"); }
  EXPECT_EQ(files_in(folder), 0U);
}

// Sweepers lock what they look at: a folder that others sweep must not refuse a claim that nobody holds.
TEST(Claim, IsNotDisturbedBySweepers) {
  const TemporaryFolder folder;
  const ::pid_t child = ::fork();
  if (child == 0) {
    const Claim claim(folder / "m");
    ::kill(::getpid(), SIGKILL);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  make_folder(folder.path());
  ASSERT_EQ(files_in(folder), 1U);
  EXPECT_FALSE(is_temporary(std::filesystem::directory_iterator(folder.path())->path().filename().string()));
  EXPECT_NO_THROW(Claim(folder / "m"));
}

TEST(Claim, IsNoneWhereNoFileCanBeMade) {
  EXPECT_NO_THROW(Claim("/proc/m"));
}

}  // namespace
}  // namespace credens::base
