// SPDX-License-Identifier: Apache-2.0
//
// NumPy's .npy files: little-endian float32, float64 and integers, C or Fortran order, read into doubles; float64
// written. npy_names.hpp has the names of columns.

#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace credens::data {

struct NpyArray {
  std::vector<std::size_t> shape;
  std::vector<double> values;  ///< C order
};

/// Whether `bytes` start like an .npy file.
bool is_npy(std::string_view bytes);

/// How the values of an array lie in its file.
struct NpyLayout {
  std::vector<std::size_t> shape;
  bool fortran_order = false;
  std::size_t values_at = 0;  ///< in bytes
  std::size_t count = 0;
  std::size_t item_size = 0;
  void (*convert)(const char* items, std::span<double> values) = nullptr;

  std::size_t end() const { return values_at + count * item_size; }  ///< in bytes
};

/// What may stand behind the values of an array in its file.
enum class NpyRest { nothing, another_array };

/// `start` holds at least the header of a file of `file_size` bytes; otherwise as parse_npy.
NpyLayout read_npy_layout(std::string_view start, std::size_t file_size, const std::string& source,
                          NpyRest rest = NpyRest::nothing);

/// `source` is how sentences name the array. What is no array of numbers, or not whole, throws data.
NpyArray parse_npy(std::string_view bytes, const std::string& source);
NpyArray read_npy(const std::filesystem::path& path);

/// The header of a C-order array, filled up with blanks to `least_size`; the values follow as raw little-endian items,
/// doubles if `descr` does not say otherwise.
std::string npy_header(const std::vector<std::size_t>& shape, std::string_view descr = "<f8",
                       std::size_t least_size = 0);

/// Atomically; `-` is standard output.
void write_npy(const std::filesystem::path& path, const NpyArray& array);

}  // namespace credens::data
