// SPDX-License-Identifier: Apache-2.0
//
// Sanitizers look for faults, not for statistics: they see a part of what repeats itself.

#pragma once

#include <cstddef>

namespace credens::test {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif
#else
constexpr bool is_sanitized = false;
#endif

/// Every how many of a long row of like cases are tried.
constexpr std::size_t stride_of_cases(std::size_t when_sanitized) {
  return is_sanitized ? when_sanitized : 1;
}

}  // namespace credens::test
