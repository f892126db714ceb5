// SPDX-License-Identifier: Apache-2.0
//
// Some rows of an .npy file at a time, in any order.

#pragma once

#include <credens/matrix.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/byte_source.hpp"
#include "data/npy.hpp"

namespace credens::data {

/// An array [rows], [rows x cols] or [slabs x rows x cols]; of no more than the rows asked for is there a copy.
class NpySlices {
 public:
  /// Throws io, or data for what is no such array.
  explicit NpySlices(const std::filesystem::path& path, NpyRest rest = NpyRest::nothing);

  const std::vector<std::size_t>& shape() const { return layout_.shape; }
  const std::string& name() const { return bytes_->name(); }  ///< how sentences call it

  /// Rows [first, first + count) of a slab, which is 0 for arrays of rank 1 and 2.
  void read(std::size_t slab, std::size_t first, std::size_t count, Matrix& into);

 private:
  std::size_t slabs() const { return layout_.shape.size() == 3 ? layout_.shape.front() : 1; }
  void read_rows(std::size_t slab, std::size_t first, Matrix& into);
  void read_columns(std::size_t slab, std::size_t first, Matrix& into);

  std::unique_ptr<ByteSource> bytes_;
  NpyLayout layout_;
  std::size_t rows_ = 0;
  std::size_t cols_ = 1;
};

}  // namespace credens::data
