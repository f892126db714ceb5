// SPDX-License-Identifier: Apache-2.0
//
// `A:B`: members A to B - 1 of an ensemble.

#pragma once

#include <cstddef>

#include "base/options.hpp"

namespace credens::cli {

struct MemberRange {
  std::size_t first = 0;
  std::size_t end = 0;
};

}  // namespace credens::cli

namespace credens::base {

template <>
struct FieldText<cli::MemberRange> {
  static cli::MemberRange parse(std::string_view text) {
    const std::vector<std::string> ends = split(text, ':');
    require(ends.size() == 2, ErrorCode::usage, "{} is no range", quoted(text));
    const cli::MemberRange range{FieldText<std::size_t>::parse(ends[0]), FieldText<std::size_t>::parse(ends[1])};
    require(range.first < range.end, ErrorCode::usage, "{} is empty", quoted(text));
    return range;
  }
};

}  // namespace credens::base
