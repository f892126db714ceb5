// SPDX-License-Identifier: Apache-2.0
//
// Archives around tables: gzip, xz and zstd, recognised by their first bytes.

#pragma once

#include <string>

namespace credens::data {

/// The content of an archive, also of several joined end to end; other bytes come back as they are. A damaged or
/// truncated archive throws data.
std::string decompress(std::string bytes, const std::string& source);

}  // namespace credens::data
