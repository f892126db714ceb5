// SPDX-License-Identifier: Apache-2.0
//
// Whole arrays of any rank from .npy files.

#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "data/npy.hpp"

namespace credens::test {

/// From the order in which the first index runs fastest to that in which the last one does.
inline std::vector<double> to_c_order(const std::vector<double>& values, const std::vector<std::size_t>& shape) {
  std::vector<double> ordered(values.size());
  std::vector<std::size_t> index(shape.size(), 0);
  for (double& value : ordered) {
    std::size_t at = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;) at = at * shape[axis] + index[axis];
    value = values[at];
    for (std::size_t axis = shape.size(); axis-- > 0 && ++index[axis] == shape[axis];) index[axis] = 0;
  }
  return ordered;
}

/// `source` is how sentences name the array. What is no array of numbers, or not whole, throws data.
inline data::NpyArray parse_npy(std::string_view bytes, const std::string& source) {
  const data::NpyLayout layout = data::read_npy_layout(bytes, bytes.size(), source);
  data::NpyArray array{.shape = layout.shape, .values = std::vector<double>(layout.count)};
  layout.convert(bytes.data() + layout.values_at, array.values);
  if (layout.fortran_order && array.shape.size() > 1) array.values = to_c_order(array.values, array.shape);
  return array;
}

inline data::NpyArray read_npy(const std::filesystem::path& path) {
  return parse_npy(base::read_file(path), path.string());
}

}  // namespace credens::test
