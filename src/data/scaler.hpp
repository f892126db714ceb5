// SPDX-License-Identifier: Apache-2.0
//
// Affine scaling of columns, z = (x - shift) / scale, some of them after an asinh transform: asinh((x - centre) /
// width) in place of x. Near its centre such a column stays as it is, far from it only the logarithm of the distance
// counts.

#pragma once

#include <credens/matrix.hpp>

#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace credens::data {

/// Beyond this size a scaled value is no use to a network in float, whose squares end near 1e38.
constexpr double largest_scaled = 1e30;

struct Scaler {
  std::vector<double> shift;
  std::vector<double> scale;        ///< > 0
  std::vector<double> centre = {};  ///< of the asinh transform; empty: no column has one
  std::vector<double> width = {};   ///< >= 0, 0 for a column without asinh transform; empty: no column has one

  std::size_t cols() const { return shift.size(); }
  bool has_asinh(std::size_t col) const { return !width.empty() && width[col] > 0; }
  double transformed(std::size_t col, double value) const {
    return has_asinh(col) ? std::asinh((value - centre[col]) / width[col]) : value;
  }
  double apply(std::size_t col, double value) const { return (transformed(col, value) - shift[col]) / scale[col]; }
  bool operator==(const Scaler&) const = default;
};

Matrix scaled(const Scaler& scaler, MatrixView values);
Matrix unscaled(const Scaler& scaler, MatrixView values);  ///< the way back

/// ColumnMoments::scaler of all rows. Weights may be empty; `labels` are what sentences call the columns.
Scaler standardising_scaler(MatrixView values, std::span<const double> weights,
                            std::span<const std::string> labels = {});

Scaler identity_scaler(std::size_t cols);

/// Columns of which all values are equal, rows of weight 0 left out.
std::vector<std::size_t> constant_columns(MatrixView values, std::span<const double> weights);

/// Scaled in double, then rounded to float; rows of `out` are `stride` floats, pads zero. Sentences count rows from
/// `first_row`.
void scale_rows(const Scaler& scaler, MatrixView values, float* out, std::size_t stride, std::size_t first_row = 0,
                std::span<const std::string> labels = {});

/// The same without sentences: false, with `out` unfinished, where a scaled value is beyond largest_scaled or NaN.
bool scale_in_range(const Scaler& scaler, MatrixView values, float* out, std::size_t stride);

}  // namespace credens::data
