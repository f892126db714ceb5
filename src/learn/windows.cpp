// SPDX-License-Identifier: Apache-2.0

#include "learn/windows.hpp"

#include <algorithm>

#include "math/kernels.hpp"

namespace credens::learn {

namespace {

std::size_t parts_of(std::size_t count, std::size_t part) {
  return (count + part - 1) / part;
}

}  // namespace

Windows::Windows(std::size_t rows, std::size_t row_bytes, const WindowSize& size)
    : rows_(rows),
      block_rows_(std::max<std::size_t>(size.block / row_bytes, 1)),
      blocks_(parts_of(rows, block_rows_)),
      windows_(1) {
  const std::size_t window_rows = size.window / row_bytes;
  if (rows > window_rows) windows_ = parts_of(blocks_, std::max<std::size_t>(window_rows / block_rows_, 1));
}

RowRange Windows::rows_of(std::size_t block) const {
  const std::size_t first = block * block_rows_;
  return {.first = first, .count = std::min(block_rows_, rows_ - first)};
}

RowRange Windows::blocks_of(std::size_t window) const {
  const std::size_t first = window * blocks_ / windows_;
  return {.first = first, .count = (window + 1) * blocks_ / windows_ - first};
}

std::size_t Windows::largest() const {
  return std::min(rows_, parts_of(blocks_, windows_) * block_rows_);
}

std::size_t row_bytes(std::size_t inputs, std::size_t outputs, bool has_weights, bool has_noise) {
  return sizeof(float) * (math::padded(inputs) + outputs + (has_weights ? 1 : 0) + (has_noise ? outputs : 0));
}

}  // namespace credens::learn
