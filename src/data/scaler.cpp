// SPDX-License-Identifier: Apache-2.0

#include "data/scaler.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "math/statistics.hpp"

namespace credens::data {

namespace {

std::vector<double> column_of(MatrixView values, std::size_t col) {
  std::vector<double> column(values.rows());
  for (std::size_t row = 0; row < values.rows(); ++row) column[row] = values(row, col);
  return column;
}

bool all_equal(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [&](double value) { return value == values.front(); });
}

/// Rows of weight 0 left out, so that they cannot make a constant column look as if it varied.
std::vector<double> counted(std::vector<double> values, std::span<const double> weights) {
  if (weights.empty()) return values;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (weights[i] > 0) values[kept++] = values[i];
  }
  values.resize(kept);
  return values;
}

}  // namespace

Scaler standardising_scaler(MatrixView values, std::span<const double> weights) {
  base::require(weights.empty() || weights.size() == values.rows(), ErrorCode::data, "{} weights for {} rows",
                weights.size(), values.rows());
  const std::vector<double> positive_weights = counted({weights.begin(), weights.end()}, weights);
  Scaler scaler = identity_scaler(values.cols());
  for (std::size_t col = 0; col < values.cols(); ++col) {
    const std::vector<double> column = counted(column_of(values, col), weights);
    base::require(!column.empty(), ErrorCode::data, "no rows to standardise by, expected at least one that counts");
    if (all_equal(column)) {
      scaler.shift[col] = column.front();  // not the mean, which may differ in its last bit
      continue;
    }
    const double variance = math::weighted_variance(column, positive_weights);
    scaler.shift[col] = math::weighted_mean(column, positive_weights);
    base::require(std::isfinite(scaler.shift[col]) && std::isfinite(variance), ErrorCode::data,
                  "column {} (counted from 0): the variance of its values is beyond the largest double", col);
    if (variance > 0) scaler.scale[col] = std::sqrt(variance);
  }
  return scaler;
}

Scaler identity_scaler(std::size_t cols) {
  return {.shift = std::vector<double>(cols, 0.0), .scale = std::vector<double>(cols, 1.0)};
}

std::vector<std::size_t> constant_columns(MatrixView values) {
  std::vector<std::size_t> columns;
  for (std::size_t col = 0; col < values.cols(); ++col) {
    if (all_equal(column_of(values, col))) columns.push_back(col);
  }
  return columns;
}

void scale_rows(const Scaler& scaler, MatrixView values, float* out, std::size_t stride) {
  base::require(values.cols() == scaler.cols(), ErrorCode::data, "{} columns to scale, expected {}", values.cols(),
                scaler.cols());
  for (std::size_t row = 0; row < values.rows(); ++row, out += stride) {
    for (std::size_t col = 0; col < values.cols(); ++col) {
      const double scaled = scaler.apply(col, values(row, col));
      base::require(std::abs(scaled) <= largest_scaled, ErrorCode::data,
                    "row {}, column {} (counted from 0): {} is {} after scaling, expected at most {:g} in size", row,
                    col, values(row, col), scaled, largest_scaled);
      out[col] = static_cast<float>(scaled);
    }
    std::fill(out + values.cols(), out + stride, 0.0F);
  }
}

}  // namespace credens::data
