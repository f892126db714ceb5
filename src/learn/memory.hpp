// SPDX-License-Identifier: Apache-2.0
//
// The memory that the rows of a fit may take.

#pragma once

#include <credens/fit.hpp>

#include <cstdint>

#include "base/options.hpp"

namespace credens::base {

/// `4GB`, `512MiB`, bytes without a unit, or `auto`, which are 0 bytes.
template <>
struct FieldText<MemorySize> {
  static MemorySize parse(std::string_view text);
  static OptionValue value(MemorySize size);
};

}  // namespace credens::base

namespace credens::learn {

/// Memory for rows: the given size, or half of what this process may have.
std::uint64_t memory_for_rows(MemorySize given);

/// How many of options.threads may have a window of this many bytes each.
int windows_at_once(const FitOptions& options, std::size_t window_bytes);

}  // namespace credens::learn
