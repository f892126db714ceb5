// SPDX-License-Identifier: Apache-2.0
//
// Sanitizers look for faults, not for statistics: they see a part of what repeats itself, or all with
// CREDENS_ALL_CASES=1.

#pragma once

#include <cstddef>
#include <cstdlib>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CREDENS_TEST_SANITIZED 1
#endif
#endif
#ifndef CREDENS_TEST_SANITIZED
#define CREDENS_TEST_SANITIZED 0
#endif

namespace credens::test {

constexpr bool is_sanitized = CREDENS_TEST_SANITIZED;

/// Every how many of a long row of like cases are tried.
inline std::size_t stride_of_cases(std::size_t when_sanitized) {
  return is_sanitized && std::getenv("CREDENS_ALL_CASES") == nullptr ? when_sanitized : 1;
}

}  // namespace credens::test
