// SPDX-License-Identifier: Apache-2.0
//
// A table as one array [rows, columns] in C order, which can be read at any row: an .npy file, with the names of its
// columns behind the values (npy_names.hpp). One pass, in memory that does not grow with the rows.

#pragma once

#include <credens/dataset.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "data/row_portions.hpp"

namespace credens::data {

enum class PackedType { float64, float32 };

struct PackOptions {
  PackedType type = PackedType::float64;
  std::vector<std::string> ignore = {};  ///< columns that are left out
  /// Rows so far, and a guess of all; 0: there is none.
  std::function<void(std::size_t rows, std::size_t guess)> on_progress = {};
};

struct Packed {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<std::string> names = {};  ///< empty: the table had none
  std::size_t bytes = 0;                ///< of the file
};

/// Takes bytes for a place in a file: ascending places, at last the header again, when the number of rows is known.
using WriteAt = std::function<void(std::size_t offset, std::string_view bytes)>;

/// The rows that `table` has still to give. A cell that holds no number throws data with its place, and so does one
/// that is too large for float32.
Packed pack_table(RowPortions& table, const PackOptions& options, const WriteAt& write);

/// Atomically, from a file in any form to an .npy file; `-` is standard input.
Packed pack_file(const std::filesystem::path& from, const TableFormat& format, const std::filesystem::path& to,
                 const PackOptions& options);

}  // namespace credens::data
