// SPDX-License-Identifier: Apache-2.0
//
// Tables that come from Python: columns with names, or an Arrow stream.

#pragma once

#include <cstdint>
#include <string>

#include "data/table.hpp"

namespace credens::python {

/// The Arrow C stream interface: the layout of the struct is its specification.
struct ArrowArrayStream;

/// All rows of a stream of record batches. A column that holds no numbers, or a value that is missing or not finite,
/// has a fault.
data::Table read_arrow(ArrowArrayStream& stream, std::string source);

/// The sentence about a cell that is no finite number.
data::ColumnFault fault_at(const data::Table& table, std::size_t row, std::size_t col, const std::string& found);

}  // namespace credens::python
