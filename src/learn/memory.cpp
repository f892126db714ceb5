// SPDX-License-Identifier: Apache-2.0

#include "learn/memory.hpp"

#include <algorithm>
#include <array>

#include "base/memory.hpp"
#include "base/parallel.hpp"

namespace credens::base {

namespace {

struct Unit {
  std::string_view name;
  std::uint64_t bytes;
};

constexpr std::array units{Unit{"TiB", std::uint64_t{1} << 40},
                           Unit{"TB", 1'000'000'000'000},
                           Unit{"GiB", std::uint64_t{1} << 30},
                           Unit{"GB", 1'000'000'000},
                           Unit{"MiB", std::uint64_t{1} << 20},
                           Unit{"MB", 1'000'000},
                           Unit{"KiB", std::uint64_t{1} << 10},
                           Unit{"kB", 1'000},
                           Unit{"KB", 1'000},
                           Unit{"B", 1}};

}  // namespace

MemorySize FieldText<MemorySize>::parse(std::string_view text) {
  constexpr double most = 1e18;
  if (text == "auto") return {};
  double unit = 1;
  for (const Unit& candidate : units) {
    if (!text.ends_with(candidate.name)) continue;
    unit = static_cast<double>(candidate.bytes);
    text = trim(text.substr(0, text.size() - candidate.name.size()));
    break;
  }
  const double bytes = FieldText<double>::parse(text) * unit;
  require(bytes >= 1 && bytes <= most, ErrorCode::usage, "{} is no amount of memory", quoted(text));
  return {static_cast<std::uint64_t>(bytes)};
}

OptionValue FieldText<MemorySize>::value(MemorySize size) {
  if (size.bytes == 0) return std::string("auto");
  for (const Unit& unit : units) {
    if (size.bytes % unit.bytes == 0) return fmt::format("{}{}", size.bytes / unit.bytes, unit.name);
  }
  return fmt::format("{}B", size.bytes);
}

}  // namespace credens::base

namespace credens::learn {

std::uint64_t memory_for_rows(MemorySize given) {
  return given.bytes > 0 ? given.bytes : base::process_memory() / 2;
}

int windows_at_once(const FitOptions& options, std::size_t window_bytes) {
  const std::uint64_t windows = std::max<std::uint64_t>(memory_for_rows(options.memory) / window_bytes, 1);
  return static_cast<int>(
      std::min<std::uint64_t>(static_cast<std::uint64_t>(base::thread_count(options.threads)), windows));
}

}  // namespace credens::learn
