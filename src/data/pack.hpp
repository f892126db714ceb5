// SPDX-License-Identifier: Apache-2.0
//
// A table as one array [rows, columns] in C order, which can be read at any row: an .npy file, with names, kinds and
// words of its columns behind the values (npy_words.hpp). One pass, in memory that does not grow with the rows.

#pragma once

#include <credens/dataset.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "data/npy_words.hpp"

namespace credens::data {

enum class PackedType { float64, float32 };

struct PackOptions {
  PackedType type = PackedType::float64;
  std::vector<std::string> ignore = {};      ///< columns that are left out
  std::vector<std::string> numbers = {};     ///< columns that are numbers, whatever they look like
  std::vector<std::string> categories = {};  ///< ... words
  std::vector<std::string> dates = {};       ///< ... dates
  /// Rows so far, and a guess of all; 0: there is none.
  std::function<void(std::size_t rows, std::size_t guess)> on_progress = {};
};

struct Packed {
  std::size_t rows = 0;
  std::size_t columns = 0;
  NpyColumns about = {};  ///< names with units, kinds and words of the columns
  std::size_t bytes = 0;  ///< of the file
};

/// Atomically, from a file in any form to an .npy file; `-` is standard input. Words become codes and dates seconds. A
/// cell of another kind than its column throws data with its place, and so does a number too large for float32.
Packed pack_file(const std::filesystem::path& from, const TableFormat& format, const std::filesystem::path& to,
                 const PackOptions& options);

}  // namespace credens::data
