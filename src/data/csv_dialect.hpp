// SPDX-License-Identifier: Apache-2.0
//
// How a text table is written: its delimiter and whether its first line holds names.

#pragma once

#include <credens/dataset.hpp>

#include <cstddef>
#include <string_view>

namespace credens::data {

/// How many lines tell how a file is written.
constexpr std::size_t sampled_lines = 20;

struct Dialect {
  char delimiter = ',';
  bool header = false;
  bool header_recognised = false;  ///< by us, not said by the user
};

/// What `format` does not say is recognised from the first lines of `text`, which is not blank. A delimiter that is
/// none throws usage.
Dialect recognise_dialect(std::string_view text, const TableFormat& format);

}  // namespace credens::data
