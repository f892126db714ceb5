// SPDX-License-Identifier: Apache-2.0
//
// Affine scaling of columns: z = (x - shift) / scale.

#pragma once

#include <credens/matrix.hpp>

#include <span>
#include <vector>

namespace credens::data {

/// Beyond this size a scaled value is no use to a network in float, whose squares end near 1e38.
constexpr double largest_scaled = 1e30;

struct Scaler {
  std::vector<double> shift;
  std::vector<double> scale;  ///< > 0

  std::size_t cols() const { return shift.size(); }
  double apply(std::size_t col, double value) const { return (value - shift[col]) / scale[col]; }
  bool operator==(const Scaler&) const = default;
};

/// Weighted mean and population standard deviation of each column. A constant column (all values equal) keeps scale 1,
/// so that it becomes 0. Weights may be empty.
Scaler standardising_scaler(MatrixView values, std::span<const double> weights);

Scaler identity_scaler(std::size_t cols);

/// Columns whose values are all equal.
std::vector<std::size_t> constant_columns(MatrixView values);

/// Scaled in double, then rounded to float; rows of `out` are `stride` floats, pads zero.
void scale_rows(const Scaler& scaler, MatrixView values, float* out, std::size_t stride);

}  // namespace credens::data
