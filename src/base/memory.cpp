// SPDX-License-Identifier: Apache-2.0

#include "base/memory.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <limits>

#include "base/descriptor.hpp"

namespace credens::base {

namespace {

std::atomic<std::uint64_t> processes_on_machine = 1;

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

std::uint64_t resource_limit(__rlimit_resource resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return no_limit;
  return limit.rlim_cur;
}

/// The number in a file of the system; no limit where there is none, as in `max`. Allocates nothing: memory may be what
/// lacks.
std::uint64_t number_in(const char* path) {
  std::array<char, 32> text{};
  const Descriptor file(::open(path, O_RDONLY | O_CLOEXEC));
  const ssize_t length = file.is_open() ? ::read(file.number(), text.data(), text.size()) : 0;
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + std::max<ssize_t>(length, 0), number);
  return problem == std::errc{} ? number : no_limit;
}

std::uint64_t physical_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) : no_limit;
}

}  // namespace

std::uint64_t machine_memory() {
  return std::min({physical_memory(), number_in("/sys/fs/cgroup/memory.max"),
                   number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes")});
}

std::uint64_t process_memory() {
  return std::min({machine_memory() / processes_on_machine, resource_limit(RLIMIT_AS), resource_limit(RLIMIT_DATA)});
}

void share_memory(std::size_t processes) {
  processes_on_machine = std::max<std::size_t>(1, processes);
}

}  // namespace credens::base
