// SPDX-License-Identifier: Apache-2.0
//
// Tables that come from Python: columns with names, or an Arrow stream.

#pragma once

#include <cstdint>
#include <string>

#include "frame.hpp"

namespace credens::python {

/// The Arrow C stream interface: the layout of the struct is its specification.
struct ArrowArrayStream;

/// All rows of a stream of record batches. A column of another type than numbers, text, flags and dates has a fault.
Frame read_arrow(ArrowArrayStream& stream, std::string source);

}  // namespace credens::python
