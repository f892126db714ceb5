// SPDX-License-Identifier: Apache-2.0
//
// A file that contains its own checksum: computed as if the checksum's digits were zeros.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace credens::store {

constexpr std::size_t checksum_digits = 32;

/// XXH3-128 of `bytes` with the digits at [at, at + checksum_digits) taken for '0': lowercase hexadecimal, as xxhsum
/// prints it.
std::string checksum(std::string_view bytes, std::size_t at);

}  // namespace credens::store
