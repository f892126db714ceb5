// SPDX-License-Identifier: Apache-2.0

#include "base/memory.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "support/effort.hpp"
#include "support/temporary_folder.hpp"

namespace credens::base {
namespace {

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

/// The files of a system in a folder of their own.
class System {
 public:
  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root() + path;
    std::filesystem::create_directories(file.parent_path());
    write_file(file, text);
  }
  std::string root() const { return folder_.path().string(); }

 private:
  test::TemporaryFolder folder_;
};

TEST(GroupMemory, IsNotLimitedWhereNothingSaysSo) {
  const System system;
  EXPECT_EQ(group_memory(system.root()), no_limit);
  system.write("/proc/self/cgroup", "0::/job\n");
  EXPECT_EQ(group_memory(system.root()), no_limit);
  system.write("/sys/fs/cgroup/job/memory.max", "max\n");
  EXPECT_EQ(group_memory(system.root()), no_limit);
}

TEST(GroupMemory, IsTheLeastFromTheProcessUpToTheRoot) {
  const System system;
  system.write("/proc/self/cgroup", "0::/system.slice/job.scope/step\n");
  system.write("/sys/fs/cgroup/system.slice/memory.max", "5000\n");
  EXPECT_EQ(group_memory(system.root()), 5000U);
  system.write("/sys/fs/cgroup/system.slice/job.scope/memory.max", "4000\n");
  system.write("/sys/fs/cgroup/system.slice/job.scope/step/memory.max", "max\n");
  EXPECT_EQ(group_memory(system.root()), 4000U);
  system.write("/sys/fs/cgroup/system.slice/job.scope/step/memory.max", "3000\n");
  EXPECT_EQ(group_memory(system.root()), 3000U);
  system.write("/sys/fs/cgroup/system.slice/other/memory.max", "10\n");
  EXPECT_EQ(group_memory(system.root()), 3000U);
  system.write("/sys/fs/cgroup/memory.max", "2000\n");
  EXPECT_EQ(group_memory(system.root()), 2000U);
}

TEST(GroupMemory, HasAHierarchyOfItsOwnOnOlderSystems) {
  const System system;
  system.write("/proc/self/cgroup", "9:name=systemd:/a\n5:cpu,cpuacct:/b\n4:hugetlb,memory:/slurm/job_1\n0::/\n");
  system.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  system.write("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1\n");
  system.write("/sys/fs/cgroup/memory/b/memory.limit_in_bytes", "2\n");
  system.write("/sys/fs/cgroup/memory/slurm/memory.limit_in_bytes", "7000\n");
  system.write("/sys/fs/cgroup/memory/slurm/job_1/memory.limit_in_bytes", "6000\n");
  EXPECT_EQ(group_memory(system.root()), 6000U);
}

TEST(GroupMemory, IsThatOfTheRootWhereAContainerSeesNoOther) {
  const System system;
  system.write("/sys/fs/cgroup/memory.max", "2000\n");
  EXPECT_EQ(group_memory(system.root()), 2000U);
  for (const char* group : {"0::/pods/pod1/it\n", "0::/../other\n", "0::\n", "0:\n", "\n\n", "0::no path"}) {
    system.write("/proc/self/cgroup", group);
    EXPECT_EQ(group_memory(system.root()), 2000U) << group;
  }
  system.write("/proc/self/cgroup", "0::/" + std::string(9000, 'x'));
  EXPECT_EQ(group_memory(system.root()), 2000U);
}

TEST(GroupMemory, LimitsTheMachine) {
  EXPECT_LE(machine_memory(), group_memory());
  EXPECT_GT(machine_memory(), std::uint64_t{64} << 20);
}

/// Bytes in memory that no file backs.
std::size_t anonymous_memory() {
  const std::string status = read_file("/proc/self/status");
  const std::string field = "RssAnon:";
  return 1024 * std::stoul(status.substr(status.find(field) + field.size()));
}

TEST(ReleaseFreeMemory, GivesBackWhatLiesBetweenMemoryInUse) {
  if (test::is_sanitized) GTEST_SKIP() << "sanitizers have an allocator of their own";
  constexpr std::size_t size = 40000;  // from the heap, and of several pages
  std::vector<std::string> pieces;
  for (std::size_t i = 0; i < 1000; ++i) pieces.emplace_back(size, 'x');
  for (std::size_t i = 0; i < pieces.size(); i += 2) std::string().swap(pieces[i]);
  const std::size_t before = anonymous_memory();
  release_free_memory();
  EXPECT_LT(anonymous_memory() + 300 * size, before);
  EXPECT_EQ(pieces[1], std::string(size, 'x'));
}

}  // namespace
}  // namespace credens::base
