// SPDX-License-Identifier: Apache-2.0

#include "data/scaler.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.hpp"
#include "data/column_moments.hpp"
#include "data/names.hpp"
#include "math/kernels.hpp"
#include "math/statistics.hpp"

namespace credens::data {

namespace {

ColumnMoments moments_of(MatrixView values, std::span<const double> weights) {
  base::require(weights.empty() || weights.size() == values.rows(), ErrorCode::data, "{} weights for {} rows",
                weights.size(), values.rows());
  ColumnMoments moments(values.cols());
  for (std::size_t first = 0; first < values.rows(); first += math::statistics_block) {
    const std::size_t count = std::min(math::statistics_block, values.rows() - first);
    moments.add(values.row_block(first, count), weights.empty() ? weights : weights.subspan(first, count));
  }
  return moments;
}

/// The inverse of Scaler::transformed.
double untransformed(const Scaler& scaler, std::size_t col, double value) {
  return scaler.has_asinh(col) ? scaler.centre[col] + scaler.width[col] * std::sinh(value) : value;
}

bool scale_affinely(const Scaler& scaler, std::size_t first_col, MatrixView values, float* out, std::size_t stride) {
  return math::scale_rows({scaler.shift.data() + first_col, scaler.scale.data() + first_col, largest_scaled},
                          values.data(), values.stride(), values.rows(), values.cols(), out, stride);
}

/// One row, some columns at a time, so that no memory is asked for.
bool scale_transformed_row(const Scaler& scaler, std::span<const double> row, float* out) {
  std::array<double, 64> values;
  for (std::size_t first = 0; first < row.size(); first += values.size()) {
    const std::size_t count = std::min(values.size(), row.size() - first);
    for (std::size_t i = 0; i < count; ++i) values[i] = scaler.transformed(first + i, row[first + i]);
    if (!scale_affinely(scaler, first, {values.data(), 1, count}, out + first, count)) return false;
  }
  return true;
}

}  // namespace

Scaler standardising_scaler(MatrixView values, std::span<const double> weights, std::span<const std::string> labels) {
  return moments_of(values, weights).scaler(labels);
}

Matrix scaled(const Scaler& scaler, MatrixView values) {
  Matrix result(values.rows(), values.cols());
  for (std::size_t row = 0; row < values.rows(); ++row) {
    for (std::size_t col = 0; col < values.cols(); ++col) result(row, col) = scaler.apply(col, values(row, col));
  }
  return result;
}

Matrix unscaled(const Scaler& scaler, MatrixView values) {
  Matrix result(values.rows(), values.cols());
  for (std::size_t row = 0; row < values.rows(); ++row) {
    for (std::size_t col = 0; col < values.cols(); ++col) {
      result(row, col) = untransformed(scaler, col, scaler.shift[col] + scaler.scale[col] * values(row, col));
    }
  }
  return result;
}

Scaler identity_scaler(std::size_t cols) {
  return {.shift = std::vector<double>(cols, 0.0), .scale = std::vector<double>(cols, 1.0)};
}

std::vector<std::size_t> constant_columns(MatrixView values, std::span<const double> weights) {
  return moments_of(values, weights).constant_columns();
}

void scale_rows(const Scaler& scaler, MatrixView values, float* out, std::size_t stride, std::size_t first_row,
                std::span<const std::string> labels) {
  base::require(values.cols() == scaler.cols(), ErrorCode::data, "{} columns to scale, expected {}", values.cols(),
                scaler.cols());
  if (scale_in_range(scaler, values, out, stride)) return;
  for (std::size_t row = 0; row < values.rows(); ++row) {
    for (std::size_t col = 0; col < values.cols(); ++col) {
      const double scaled = scaler.apply(col, values(row, col));
      if (!(std::abs(scaled) <= largest_scaled)) {
        base::fail(ErrorCode::data, "row {}, {}: {} is {} after scaling, expected at most {:g} in size",
                   first_row + row, label_of(col, labels), values(row, col), scaled, largest_scaled);
      }
    }
  }
}

bool scale_in_range(const Scaler& scaler, MatrixView values, float* out, std::size_t stride) {
  if (scaler.width.empty()) return scale_affinely(scaler, 0, values, out, stride);
  for (std::size_t row = 0; row < values.rows(); ++row, out += stride) {
    if (!scale_transformed_row(scaler, values.row(row), out)) return false;
    std::fill(out + values.cols(), out + stride, 0.0F);
  }
  return true;
}

}  // namespace credens::data
