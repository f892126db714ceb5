// SPDX-License-Identifier: Apache-2.0
//
// The digest by which some public files are known. It finds accidents, not forgeries.

#pragma once

#include <string>
#include <string_view>

namespace credens::data {

/// MD5 (RFC 1321) as 32 hexadecimal digits.
std::string md5(std::string_view bytes);

}  // namespace credens::data
