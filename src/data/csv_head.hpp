// SPDX-License-Identifier: Apache-2.0
//
// What must be known of a text file before its rows can be read.

#pragma once

#include <credens/dataset.hpp>

#include <cstddef>

#include "data/byte_source.hpp"
#include "data/csv.hpp"

namespace credens::data {

struct CsvHead {
  RowFormat format;
  std::size_t first_row_at = 0;  ///< in bytes
  std::size_t end = 0;           ///< of the last row, its line end left out; blank lines may follow
};

/// What is no text and a table without rows throw data.
CsvHead read_csv_head(ByteSource& bytes, const TableFormat& wanted);

}  // namespace credens::data
