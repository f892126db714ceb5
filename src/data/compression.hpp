// SPDX-License-Identifier: Apache-2.0
//
// Archives around tables: gzip, xz and zstd, recognised by their first bytes.

#pragma once

#include <string>
#include <string_view>

namespace credens::data {

/// Whether `bytes` start like an archive; six bytes tell.
bool is_archive(std::string_view bytes);

/// The content of an archive, also of several joined end to end; other bytes come back as they are. A damaged or
/// truncated archive throws data.
std::string decompress(std::string bytes, const std::string& source);

}  // namespace credens::data
