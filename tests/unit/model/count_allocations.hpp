// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>

namespace credens::test {

/// Number of allocations of this thread so far; not counted under sanitizers, which have an allocator of their own.
std::size_t allocations();

}  // namespace credens::test
