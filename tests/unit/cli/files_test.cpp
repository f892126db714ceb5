// SPDX-License-Identifier: Apache-2.0

#include "cli/files.hpp"

#include <gtest/gtest.h>

#include "base/check.hpp"
#include "base/file.hpp"

namespace credens::cli {
namespace {

TEST(CheckWritable, LeavesNothingBehind) {
  const std::filesystem::path folder = testing::TempDir() + "credens_files_test";
  std::filesystem::create_directory(folder);
  check_writable(folder / "model");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  EXPECT_THROW(check_writable(folder), Error);
  EXPECT_THROW(check_writable(folder / "absent" / "model"), Error);
  std::filesystem::remove(folder);
}

TEST(CheckNotInput, SeesTheSameFileBehindAnotherName) {
  const std::string path = testing::TempDir() + "credens_files_test.csv";
  base::write_file(path, "x");
  EXPECT_THROW(check_not_input(testing::TempDir() + "./credens_files_test.csv", {"absent", path}), Error);
  EXPECT_NO_THROW(check_not_input("absent", {path}));
  EXPECT_NO_THROW(check_not_input("-", {"-"}));
  std::filesystem::remove(path);
}

TEST(CheckMemory, ComparesWithTheMachine) {
  EXPECT_NO_THROW(check_memory(1, "one number"));
  EXPECT_THROW(check_memory(1e18, "a lot"), Error);
}

TEST(IsStream, IsTrueForDevicesAndStandardOutput) {
  EXPECT_TRUE(is_stream("-"));
  EXPECT_TRUE(is_stream("/dev/null"));
  EXPECT_FALSE(is_stream("model.safetensors"));
  EXPECT_FALSE(is_stream("/"));
}

}  // namespace
}  // namespace credens::cli
