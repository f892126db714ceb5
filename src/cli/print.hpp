// SPDX-License-Identifier: Apache-2.0
//
// Results go to standard output, everything else to standard error.

#pragma once

#include <string_view>

#include "report/document.hpp"

namespace credens::cli {

using report::Json;
using report::Lines;

/// Standard output, at once; throws io where it cannot be written.
void print(std::string_view text);
void print_json(const Json& document);
void print_lines(const Lines& lines);  ///< values aligned

/// From here on this process prints nothing: another one speaks for it.
void be_silent();

/// A line on standard error. Where that is closed there is nobody left to tell.
void print_error(std::string_view line);

}  // namespace credens::cli
