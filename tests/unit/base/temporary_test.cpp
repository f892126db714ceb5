// SPDX-License-Identifier: Apache-2.0

#include "base/temporary.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/crowd.hpp"
#include "support/temporary_folder.hpp"

namespace credens::base {
namespace {

using namespace std::chrono_literals;
using test::TemporaryFolder;

TEST(RemoveRemains, LeavesWhatIsLocked) {
  const TemporaryFolder folder;
  const TemporaryFile living = make_temporary(folder.path());
  const std::string left = folder / ".credens-1-1.tmp";
  std::ofstream(left) << "half";
  remove_remains(folder.path());
  EXPECT_TRUE(std::filesystem::exists(living.name));
  EXPECT_FALSE(std::filesystem::exists(left));
}

TEST(MakeTemporary, SaysWhereItCannotBeMade) {
  const TemporaryFile made = make_temporary("/proc");
  EXPECT_FALSE(made.file.is_open());
  EXPECT_NE(errno, 0);
}

TEST(IsAt, KnowsWhetherAFileHasItsName) {
  const TemporaryFolder folder;
  TemporaryFile made = make_temporary(folder.path());
  EXPECT_TRUE(is_at(made.file, made.name));
  EXPECT_FALSE(is_at(made.file, folder / "absent"));
  std::filesystem::remove(made.name);
  EXPECT_FALSE(is_at(made.file, made.name));
  std::ofstream(made.name) << "another";
  EXPECT_FALSE(is_at(made.file, made.name));
}

// A file that was just made is looked at before it is locked: it must not be given to a writer who then loses it.
TEST(MakeTemporary, IsNotDisturbedByThoseWhoRemoveRemains) {
  const TemporaryFolder folder;
  const std::string result = folder / "result";
  test::crowd(8, 1500ms, [&] {
    TemporaryFile made = make_temporary(folder.path());
    remove_remains(folder.path());
    return ::write(made.file.number(), "x", 1) == 1 && is_at(made.file, made.name) &&
           ::rename(made.name.c_str(), result.c_str()) == 0;
  });
  remove_remains(folder.path());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(IsTemporary, KnowsTheNamesOfLeftovers) {
  EXPECT_TRUE(is_temporary(".credens-4711-1.tmp"));
  EXPECT_FALSE(is_temporary("model.safetensors"));
  EXPECT_FALSE(is_temporary("notes.tmp"));
  for (const char* name : {".credens-.tmp", ".credens-1.tmp", ".credens-1-.tmp", ".credens--1.tmp", ".credens-a-1.tmp",
                           ".credens-1-1-1.tmp", ".credens-1-1.tmp.bak", ".credens-tmp"}) {
    EXPECT_FALSE(is_temporary(name)) << name;
  }
}

}  // namespace
}  // namespace credens::base
