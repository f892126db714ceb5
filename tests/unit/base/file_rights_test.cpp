// SPDX-License-Identifier: Apache-2.0
//
// Files that are no plain files, or not ours: what may be read, and what writing leaves as it was.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.hpp"
#include "support/error_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace credens::base {
namespace {

using test::Fails;
using test::TemporaryFolder;

TEST(ReadFile, RefusesDevicesAndMoreThanItMay) {
  EXPECT_THAT([] { read_file("/dev/zero"); }, Fails(ErrorCode::io, "/dev/zero: is a device, expected a file"));
  const TemporaryFolder folder;
  write_file(folder / "file", "1234");
  EXPECT_EQ(read_file(folder / "file", 4), "1234");
  EXPECT_THAT([&] { read_file(folder / "file", 3); },
              Fails(ErrorCode::io, "file: cannot read: larger than is allowed"));
}

TEST(CheckRegular, RefusesWhatMayWaitForEver) {
  const TemporaryFolder folder;
  write_file(folder / "file", "");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT([&] { check_regular(folder / "pipe"); },
              Fails(ErrorCode::io, "pipe: is a pipe, expected a file, or - for standard input"));
  EXPECT_THAT([] { check_regular("/dev/zero"); }, Fails(ErrorCode::io, "/dev/zero: is a device, expected a file"));
  for (const std::filesystem::path& path :
       {folder / "file", folder / "absent", folder.path(), std::filesystem::path("-")}) {
    EXPECT_NO_THROW(check_regular(path)) << path;
  }
}

TEST(AtomicFile, WritesThroughALinkToAFileThatIsNotThere) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("next", folder / "link");
  std::filesystem::create_symlink(folder / "file", folder / "next");
  write_file(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "next"));
  EXPECT_EQ(read_file(folder / "file"), "new");
  std::filesystem::create_symlink("circle", folder / "circle");
  EXPECT_THAT([&] { write_file(folder / "circle", ""); }, Fails(ErrorCode::io, "circle: cannot write: "));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "circle"));
}

TEST(AtomicFile, LeavesAFileToItsOwner) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  const TemporaryFolder folder;
  write_file(folder / "theirs", "old");
  ASSERT_EQ(::chown((folder / "theirs").c_str(), 1234, 2345), 0);
  write_file(folder / "theirs", "new");
  struct stat info {};
  ASSERT_EQ(::stat((folder / "theirs").c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 1234U);
  EXPECT_EQ(info.st_gid, 2345U);
}

}  // namespace
}  // namespace credens::base
