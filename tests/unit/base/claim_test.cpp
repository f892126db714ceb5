// SPDX-License-Identifier: Apache-2.0

#include "base/claim.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "base/file.hpp"
#include "base/temporary.hpp"
#include "support/crowd.hpp"
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
  std::filesystem::create_symlink("members", folder / "same");
  const Claim file(folder / "m");
  const Claim members(folder / "members");
  for (const char* name : {"./m", "members/../m", "link", "members/", "same", "same/"}) {
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

/// One turn of a process in a crowd: where it gets the claim, it must be alone. Counts by bytes in files.
bool claims_alone(const TemporaryFolder& folder) {
  const auto note = [&](const char* name) { std::ofstream(folder / name, std::ios::app) << '.' << std::flush; };
  try {
    const Claim claim(folder / "m");
    const Descriptor inside = open_file(folder / "inside", O_WRONLY | O_CREAT | O_EXCL);
    note("taken");
    return inside.is_open() && ::unlink((folder / "inside").c_str()) == 0;
  } catch (const Error& error) {
    note("refused");
    return error.code() == ErrorCode::usage;
  }
}

TEST(Claim, IsHeldByOneOfMany) {
  const TemporaryFolder folder;
  test::crowd(8, std::chrono::milliseconds(1500), [&] {
    remove_remains(folder.path());
    return claims_alone(folder);
  });
  EXPECT_GT(std::filesystem::file_size(folder / "taken"), 100U);
  EXPECT_TRUE(claims_alone(folder));
  EXPECT_EQ(files_in(folder), 1U + (std::filesystem::exists(folder / "refused") ? 1U : 0U));
}

// A claim whose holder ends is never held by nobody: one of those who wait for it gets it at the first try.
TEST(Claim, IsNotRefusedOnceItsHolderHasEnded) {
  const TemporaryFolder folder;
  for (int i = 0; i < 200; ++i) {
    const ::pid_t child = ::fork();
    if (child == 0) {
      const Claim claim(folder / "m");
      ::kill(::getpid(), SIGKILL);
    }
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_NO_THROW(Claim(folder / "m"));
  }
}

TEST(Claim, IsNoneWhereNoFileCanBeMade) {
  EXPECT_NO_THROW(Claim("/proc/m"));
}

}  // namespace
}  // namespace credens::base
