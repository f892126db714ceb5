// SPDX-License-Identifier: Apache-2.0
//
// The outputs of one network at any number of rows, in passes of buffers.rows rows.

#pragma once

#include <algorithm>

#include "model/mlp.hpp"

namespace credens::model {

inline MemberBlock member_block(const Mlp& network, const float* inputs, std::size_t stride, std::size_t rows,
                                MatrixView known_variance, ForwardBuffers& buffers) {
  const MlpShape& shape = network.shape();
  MemberBlock block{Matrix(rows, shape.features()), Matrix(rows, shape.outputs), Matrix(rows, shape.outputs)};
  for (std::size_t first = 0; first < rows; first += buffers.rows) {
    const std::size_t count = std::min(buffers.rows, rows - first);
    const MatrixView known = known_variance.empty() ? MatrixView() : known_variance.row_block(first, count);
    const MemberView view = member_view(network, inputs + first * stride, stride, count, false, known, buffers);
    for (std::size_t i = 0; i < count; ++i) {
      view.features.copy_row(i, block.features.row(first + i));
      std::ranges::copy(view.mean.row(i), block.mean.row(first + i).begin());
      std::ranges::copy(view.variance.row(i), block.variance.row(first + i).begin());
    }
  }
  return block;
}

}  // namespace credens::model
