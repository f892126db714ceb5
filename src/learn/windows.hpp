// SPDX-License-Identifier: Apache-2.0
//
// How the rows of a fit are cut where they are more than a window holds: into blocks of consecutive rows, of which a
// window takes some. In memory or in a file, rows are cut alike, so that both give the same bytes.

#pragma once

#include <cstddef>

namespace credens::learn {

/// In bytes of rows as networks see them. Fixed, because with more rows than a window holds every result depends on it;
/// other numbers are for tests.
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

  bool is_one() const { return windows_ == 1; }  ///< all rows fit into one, and then in any order
  std::size_t count() const { return windows_; }
  std::size_t blocks() const { return blocks_; }
  std::size_t block_of(std::size_t row) const { return row / block_rows_; }
  RowRange rows_of(std::size_t block) const;  ///< the last block may have fewer than the others

  /// Where the blocks of a window are in an epoch's order of blocks. Windows differ by a block at most.
  RowRange blocks_of(std::size_t window) const;

  std::size_t largest() const;  ///< rows of a window at most

 private:
  std::size_t rows_;
  std::size_t block_rows_;
  std::size_t blocks_;
  std::size_t windows_;
};

/// Of d inputs and q outputs in float, the inputs padded.
std::size_t row_bytes(std::size_t inputs, std::size_t outputs, bool has_weights, bool has_noise);

}  // namespace credens::learn
