// SPDX-License-Identifier: Apache-2.0

#include "learn/memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/memory.hpp"
#include "support/error_matchers.hpp"

namespace credens::learn {
namespace {

using Text = base::FieldText<MemorySize>;

TEST(MemorySize, IsReadWithAndWithoutUnit) {
  EXPECT_EQ(Text::parse("4GB").bytes, 4'000'000'000U);
  EXPECT_EQ(Text::parse("4 GiB").bytes, std::uint64_t{4} << 30);
  EXPECT_EQ(Text::parse("1.5MB").bytes, 1'500'000U);
  EXPECT_EQ(Text::parse("512KiB").bytes, 512U << 10);
  EXPECT_EQ(Text::parse("123").bytes, 123U);
  EXPECT_EQ(Text::parse("auto").bytes, 0U);
  for (const char* text : {"", "GB", "0", "0GB", "-1GB", "4 apples", "nan", "1e30TB"}) {
    EXPECT_THROW(Text::parse(text), Error) << text;
  }
}

TEST(MemorySize, IsWrittenSoThatItReadsTheSame) {
  EXPECT_EQ(base::to_text(Text::value({4'000'000'000})), "4GB");
  EXPECT_EQ(base::to_text(Text::value({std::uint64_t{3} << 30})), "3GiB");
  EXPECT_EQ(base::to_text(Text::value({})), "auto");
  for (const std::uint64_t bytes : {0UL, 1UL, 1000UL, 1024UL, 123456789UL, 5000000000UL}) {
    EXPECT_EQ(Text::parse(base::to_text(Text::value({bytes}))).bytes, bytes);
  }
}

TEST(MemoryForRows, IsWhatWasGivenOrHalfOfWhatThereIs) {
  EXPECT_EQ(memory_for_rows({12345}), 12345U);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  const std::uint64_t unlimited = memory_for_rows({});
  EXPECT_GT(unlimited, std::uint64_t{64} << 20);
  rlimit lower = before;
  lower.rlim_cur = unlimited;  // half of it is left
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &lower), 0);
  const std::uint64_t limited = memory_for_rows({});  // nothing else: under a sanitizer any allocation would fail here
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(limited, unlimited / 2);
}

TEST(MemoryForRows, IsSharedByTheProcessesOfAMachine) {
  const std::uint64_t alone = memory_for_rows({});
  base::share_memory(4);
  EXPECT_EQ(memory_for_rows({}), alone / 4);
  EXPECT_EQ(memory_for_rows({12345}), 12345U);
  base::share_memory(1);
  EXPECT_EQ(memory_for_rows({}), alone);
}

TEST(WindowsAtOnce, AreAsManyAsMemoryHoldsAndAtLeastOne) {
  FitOptions options{.threads = 8, .memory = {1000}};
  EXPECT_EQ(windows_at_once(options, 300), 3);
  EXPECT_EQ(windows_at_once(options, 2000), 1);
  EXPECT_EQ(windows_at_once(options, 1), 8);
}

}  // namespace
}  // namespace credens::learn
