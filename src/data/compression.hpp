// SPDX-License-Identifier: Apache-2.0
//
// Archives around tables: gzip, xz and zstd, recognised by their first bytes.

#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace credens::data {

/// Whether `bytes` start like an archive; six bytes tell.
bool is_archive(std::string_view bytes);

inline constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

/// The content of an archive, also of several joined end to end; other bytes come back as they are. A damaged or
/// truncated archive throws data, and so does one that holds more than `largest` bytes, before they are unpacked.
std::string decompress(std::string bytes, const std::string& source, std::size_t largest = no_limit);

}  // namespace credens::data
