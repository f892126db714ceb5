// SPDX-License-Identifier: Apache-2.0
//
// The header of an .npy file: a Python dictionary such as {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace credens::data {

struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::size_t> shape;
  std::size_t values_at = 0;  ///< where in the file the values start
};

/// Of a whole file. What is no header that NumPy writes throws data.
NpyHeader parse_npy_header(std::string_view bytes, const std::string& source);

}  // namespace credens::data
