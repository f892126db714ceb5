// SPDX-License-Identifier: Apache-2.0
//
// Blocks and windows of a fit with more rows than a window holds: blocks are consecutive rows, a window is some of the
// blocks. Rows in memory and rows in a file have the same blocks, so that both give the same bytes.

#pragma once

#include <cstddef>

namespace credens::learn {

/// Size of a window in bytes of rows in network units. Fixed, because with more rows than a window holds every result
/// depends on it; other numbers are for tests.
struct WindowSize {
  std::size_t window = std::size_t{256} << 20;
  std::size_t block = std::size_t{256} << 10;
};

struct RowRange {
  std::size_t first = 0;
  std::size_t count = 0;
};

class Windows {
 public:
  Windows(std::size_t rows, std::size_t row_bytes, const WindowSize& size);

  bool is_one() const { return windows_ == 1; }  ///< all rows fit into one window; their blocks do not matter
  std::size_t count() const { return windows_; }
  std::size_t blocks() const { return blocks_; }
  std::size_t block_of(std::size_t row) const { return row / block_rows_; }
  RowRange rows_of(std::size_t block) const;  ///< the last block may have fewer than the others

  /// Places of a window's blocks in an epoch's order of blocks. Windows differ by one block at most.
  RowRange blocks_of(std::size_t window) const;

  std::size_t largest() const;  ///< rows of a window at most

 private:
  std::size_t rows_;
  std::size_t block_rows_;
  std::size_t blocks_;
  std::size_t windows_;
};

/// Bytes of a row with d inputs, padded, and q outputs in float.
std::size_t row_bytes(std::size_t inputs, std::size_t outputs, bool has_weights, bool has_noise);

}  // namespace credens::learn
