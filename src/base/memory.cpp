// SPDX-License-Identifier: Apache-2.0

#include "base/memory.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <initializer_list>
#include <limits>
#include <ranges>
#include <span>

#include "base/file.hpp"

namespace credens::base {

namespace {

std::atomic<std::uint64_t> processes_on_machine = 1;

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

/// A limit that `ulimit` sets; the largest number without one.
std::uint64_t resource_limit(__rlimit_resource resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return no_limit;
  return limit.rlim_cur;
}

using Pieces = std::initializer_list<std::string_view>;

/// The start of the file whose path is these pieces joined; empty where there is none. Allocates nothing: memory may
/// have run out.
std::string_view read_start(Pieces path, std::span<char> into) {
  std::array<char, 8192> name{};
  char* end = name.data();
  for (const std::string_view piece : path) {
    if (end + piece.size() >= name.data() + name.size()) return {};
    end = std::copy(piece.begin(), piece.end(), end);
  }
  const Descriptor file(::open(name.data(), O_RDONLY | O_CLOEXEC));
  const ssize_t length = file.is_open() ? ::read(file.number(), into.data(), into.size()) : 0;
  return {into.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
}

/// No limit where there is no number, as in `max`.
std::uint64_t number_in(Pieces path) {
  std::array<char, 32> bytes{};
  const std::string_view text = read_start(path, bytes);
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc{} ? number : no_limit;
}

/// One of the two layouts of control groups: the unified hierarchy (version 2), or one per controller (version 1).
struct Hierarchy {
  std::string_view folder;
  std::string_view limit;  ///< the file of a group that holds it
};
constexpr Hierarchy unified{.folder = "/sys/fs/cgroup", .limit = "/memory.max"};
constexpr Hierarchy memory_controller{.folder = "/sys/fs/cgroup/memory", .limit = "/memory.limit_in_bytes"};

/// The lowest limit on the way from the group `/a/b` to the root. A container may see its own group as the root, and
/// then not find the others.
std::uint64_t least_limit(std::string_view root, const Hierarchy& hierarchy, std::string_view group) {
  std::uint64_t least = number_in({root, hierarchy.folder, hierarchy.limit});
  for (; group.starts_with('/'); group = group.substr(0, group.rfind('/'))) {
    least = std::min(least, number_in({root, hierarchy.folder, group, hierarchy.limit}));
  }
  return least;
}

/// Whether `memory` is among names with commas between them.
bool names_memory(std::string_view controllers) {
  return std::ranges::any_of(controllers | std::views::split(','),
                             [](auto name) { return std::ranges::equal(name, std::string_view("memory")); });
}

/// Memory limit of the group in a line `number:controllers:/group`; the unified hierarchy names no controllers.
std::uint64_t limit_of_line(std::string_view root, std::string_view line) {
  const std::size_t first = std::min(line.find(':'), line.size());
  const std::size_t second = line.find(':', first + 1);
  if (second == std::string_view::npos) return no_limit;
  const std::string_view controllers = line.substr(first + 1, second - first - 1);
  const std::string_view group = line.substr(second + 1);
  if (controllers.empty()) return least_limit(root, unified, group);
  return names_memory(controllers) ? least_limit(root, memory_controller, group) : no_limit;
}

std::uint64_t physical_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) : no_limit;
}

}  // namespace

std::uint64_t group_memory(std::string_view root) {
  std::array<char, 16384> bytes{};
  std::uint64_t least = std::min(least_limit(root, unified, {}), least_limit(root, memory_controller, {}));
  for (std::string_view lines = read_start({root, "/proc/self/cgroup"}, bytes); !lines.empty();) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    least = std::min(least, limit_of_line(root, line));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
  }
  return least;
}

std::uint64_t machine_memory() {
  return std::min(physical_memory(), group_memory());
}

std::uint64_t process_memory() {
  return std::min({machine_memory() / processes_on_machine, resource_limit(RLIMIT_AS), resource_limit(RLIMIT_DATA)});
}

void share_memory(std::size_t processes) {
  processes_on_machine = std::max<std::size_t>(1, processes);
}

void release_free_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace credens::base
