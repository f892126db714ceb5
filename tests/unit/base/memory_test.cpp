// SPDX-License-Identifier: Apache-2.0

#include "base/memory.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <string>

#include "base/file.hpp"
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

}  // namespace
}  // namespace credens::base
