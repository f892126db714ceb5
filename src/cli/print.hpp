// SPDX-License-Identifier: Apache-2.0
//
// Results go to standard output, everything else to standard error.

#pragma once

#include <string_view>

namespace credens::cli {

/// Standard output, at once; throws io where it cannot be written.
void print(std::string_view text);

/// A line on standard error. Where that is closed there is nobody left to tell.
void print_error(std::string_view line);

}  // namespace credens::cli
