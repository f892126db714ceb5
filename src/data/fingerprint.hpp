// SPDX-License-Identifier: Apache-2.0
//
// A digest of parsed content. The stream of bytes it is taken over never changes, since model files and checkpoints
// keep the digest.

#pragma once

#include <credens/dataset.hpp>

#include <string>

namespace credens::data {

/// XXH3-128 (seed 0), as 32 hexadecimal digits with the most significant first, over four sections: "inputs",
/// "targets", "weights", "noise". A section is
///
///     size of its tag, tag, number of names, (size of name, name) for each name, rows, cols, values
///
/// with sizes and numbers as little-endian 64-bit integers, texts as their bytes in UTF-8 and values row by row as
/// little-endian doubles, -0 as 0. Weights and noise have no names: their role is what matters. Absent parts have 0
/// rows and 0 columns; weights are one column.
std::string fingerprint(const Dataset& dataset);

}  // namespace credens::data
