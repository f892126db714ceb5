// SPDX-License-Identifier: Apache-2.0
//
// NumPy's .npy files: little-endian float32, float64 and integers, C or Fortran order, read into doubles; float64
// written. Names, kinds and words of an array's columns are further arrays in the same file (npy_words.hpp). NumPy
// reads one array after the other from an open file, and the first alone by the file's name.

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

/// A Python dictionary such as {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.
struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::size_t> shape;
  std::size_t values_at = 0;  ///< where in the file the values start
};

/// The header that `bytes` start with. What is no header that NumPy writes throws data.
NpyHeader parse_npy_header(std::string_view bytes, const std::string& source);

/// How the values of an array lie in its file.
struct NpyLayout : NpyHeader {
  std::size_t count = 0;
  std::size_t item_size = 0;
  void (*convert)(const char* items, std::span<double> values) = nullptr;

  std::size_t end() const { return values_at + count * item_size; }  ///< in bytes
};

/// Content that may follow the values of an array in its file.
enum class NpyRest { nothing, another_array };

/// `start` holds at least the header of a file of `file_size` bytes, and `source` is how sentences name it. What is no
/// array of numbers, or not whole, throws data.
NpyLayout read_npy_layout(std::string_view start, std::size_t file_size, const std::string& source,
                          NpyRest rest = NpyRest::nothing);

/// The header of a C-order array, filled up with blanks to `least_size`; the values follow as raw little-endian items,
/// doubles if `descr` does not say otherwise.
std::string npy_header(const std::vector<std::size_t>& shape, std::string_view descr = "<f8",
                       std::size_t least_size = 0);

/// Atomically; `-` is standard output.
void write_npy(const std::filesystem::path& path, const NpyArray& array);

/// An array of texts, UTF-8 and at least one.
std::string npy_texts(const std::vector<std::string>& texts);

/// Takes an array of one text per column from the front of `bytes`, which stand behind the values of an array of `cols`
/// columns; `what` is the noun. Anything else throws data.
std::vector<std::string> take_npy_texts(std::string_view& bytes, std::size_t cols, std::string_view what,
                                        const std::string& source);

/// Throws data unless all names are different texts of one line.
void check_column_names(const std::vector<std::string>& names, const std::string& source);

}  // namespace credens::data
