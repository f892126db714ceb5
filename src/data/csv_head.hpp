// SPDX-License-Identifier: Apache-2.0
//
// What must be known of a text file before its rows can be read.

#pragma once

#include <credens/dataset.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include "data/byte_source.hpp"
#include "data/csv.hpp"

namespace credens::data {

inline constexpr std::size_t unknown_end = std::numeric_limits<std::size_t>::max();

struct CsvHead {
  RowFormat format;
  std::size_t first_row_at = 0;  ///< in bytes
  std::size_t end = 0;           ///< of the last row, its line end left out, blank lines may follow; or unknown_end
};

/// What is no text and a table without rows throw data.
CsvHead read_csv_head(ByteSource& bytes, const TableFormat& wanted);

/// The size of whole lines without the blank ones at their end and without the last line end; 0: all are blank.
std::size_t rows_size(std::string_view lines, char delimiter);

/// Throws data where no row lies between the two.
void check_rows(std::size_t first_row_at, std::size_t end, const std::string& source);

}  // namespace credens::data
