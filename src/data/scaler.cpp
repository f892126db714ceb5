// SPDX-License-Identifier: Apache-2.0

#include "data/scaler.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.hpp"
#include "data/table.hpp"
#include "math/kernels.hpp"
#include "math/statistics.hpp"

namespace credens::data {

namespace {

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

namespace {

/// Compensated sums side by side: as math::CompensatedSum, without its branch.
class ColumnSums {
 public:
  explicit ColumnSums(std::size_t cols) : sum_(cols), correction_(cols) {}

  void add(std::size_t col, double value) {
    const double sum = sum_[col] + value;
    const double part = sum - sum_[col];
    correction_[col] += (sum_[col] - (sum - part)) + (value - part);
    sum_[col] = sum;
  }

  double value(std::size_t col) const { return sum_[col] + correction_[col]; }

 private:
  std::vector<double> sum_;
  std::vector<double> correction_;
};

double total_weight(std::size_t rows, std::span<const double> weights) {
  math::CompensatedSum total;
  for (std::size_t row = 0; row < rows; ++row) total.add(math::weight_at(weights, row));
  return total.value();
}

/// Calls visit(weight, values) for the rows that count.
template <class Visit>
void for_rows(MatrixView rows, std::span<const double> weights, const Visit& visit) {
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const double weight = math::weight_at(weights, row);
    if (weight > 0) visit(weight, rows.row(row).data());
  }
}

/// Sums of one block: the weighted sums and the sums of squared deviations from the block's own means.
struct BlockSums {
  ColumnSums sums;
  ColumnSums squares;

  BlockSums(MatrixView rows, std::span<const double> weights, double weight) : sums(rows.cols()), squares(rows.cols()) {
    const std::size_t cols = rows.cols();
    for_rows(rows, weights, [&](double u, const double* values) {
      for (std::size_t col = 0; col < cols; ++col) sums.add(col, u * values[col]);
    });
    std::vector<double> means(cols);
    for (std::size_t col = 0; col < cols; ++col) means[col] = sums.value(col) / weight;
    for_rows(rows, weights, [&](double u, const double* values) {
      for (std::size_t col = 0; col < cols; ++col) {
        const double deviation = values[col] - means[col];
        squares.add(col, u * deviation * deviation);
      }
    });
  }
};

}  // namespace

void ColumnMoments::Column::add(double block_weight, double block_sum, double block_squares) {
  const double total = weight + block_weight;
  squares += block_squares;
  if (weight > 0) {
    const double gap = block_sum / block_weight - sum.value() / weight;
    squares += gap * gap * weight * (block_weight / total);
  }
  sum.add(block_sum);
  weight = total;
}

void ColumnMoments::add(MatrixView rows, std::span<const double> weights) {
  const double weight = total_weight(rows.rows(), weights);
  if (!(weight > 0)) return;
  note_values(rows, weights);
  const BlockSums block(rows, weights, weight);
  for (std::size_t col = 0; col < columns_.size(); ++col) {
    if (std::isnan(block.sums.value(col))) {
      add_incomplete(col, rows, weights);
    } else {
      columns_[col].add(weight, block.sums.value(col), block.squares.value(col));
    }
  }
  weight_ += weight;
}

/// A column with missing cells, by those that are there.
void ColumnMoments::add_incomplete(std::size_t col, MatrixView rows, std::span<const double> weights) {
  std::vector<double> values;
  std::vector<double> own_weights;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const double weight = math::weight_at(weights, row);
    if (!(weight > 0)) continue;
    if (std::isnan(rows(row, col))) {
      ++columns_[col].missing;
      continue;
    }
    values.push_back(rows(row, col));
    own_weights.push_back(weight);
  }
  const double weight = total_weight(values.size(), own_weights);
  if (!(weight > 0)) return;
  const BlockSums block({values.data(), values.size(), 1}, own_weights, weight);
  columns_[col].add(weight, block.sums.value(0), block.squares.value(0));
}

/// A column that has no value yet begins with its first; comparisons leave out what is missing.
void ColumnMoments::note_values(MatrixView rows, std::span<const double> weights) {
  for (std::size_t col = 0; col < columns_.size(); ++col) {
    for (std::size_t row = 0; row < rows.rows() && !(columns_[col].weight > 0); ++row) {
      if (!(math::weight_at(weights, row) > 0) || std::isnan(rows(row, col))) continue;
      columns_[col].least = columns_[col].largest = rows(row, col);
      break;
    }
  }
  for_rows(rows, weights, [&](double, const double* values) {
    for (std::size_t col = 0; col < columns_.size(); ++col) {
      columns_[col].least = std::min(columns_[col].least, values[col]);
      columns_[col].largest = std::max(columns_[col].largest, values[col]);
    }
    ++rows_;
  });
}

void check_variance(double variance, std::string_view label) {
  base::require(std::isfinite(variance), ErrorCode::data,
                "{}: the variance of its values is beyond the largest double, expected other units", label);
  base::require(std::isnormal(variance), ErrorCode::data,
                "{}: the variance of its values is below the smallest double, expected other units", label);
}

Scaler ColumnMoments::scaler(std::span<const std::string> labels, std::span<const std::size_t> without) const {
  base::require(weight_ > 0, ErrorCode::data, "no rows to standardise by, expected at least one that counts");
  Scaler scaler = identity_scaler(columns_.size());
  for (std::size_t col = 0; col < columns_.size(); ++col) {
    if (std::ranges::binary_search(without, col)) continue;
    const Column& column = columns_[col];
    scaler.shift[col] = column.least;  // of a constant column; its mean may differ in the last bit
    if (!column.varies()) continue;
    const double variance = column.squares / column.weight;
    scaler.shift[col] = column.mean();
    check_variance(std::isfinite(scaler.shift[col]) ? variance : scaler.shift[col], label_of(col, labels));
    scaler.scale[col] = std::sqrt(variance);
  }
  return scaler;
}

std::vector<std::size_t> ColumnMoments::constant_columns() const {
  std::vector<std::size_t> constant;
  for (std::size_t col = 0; col < columns_.size(); ++col) {
    if (!columns_[col].varies()) constant.push_back(col);
  }
  return constant;
}

double ColumnMoments::farthest_from(std::size_t col, double centre) const {
  return std::max(columns_[col].largest - centre, centre - columns_[col].least);
}

std::vector<std::size_t> ColumnMoments::columns_with_outliers(double distance) const {
  std::vector<std::size_t> found;
  for (std::size_t col = 0; col < columns_.size(); ++col) {
    const Column& column = columns_[col];
    const double farthest = farthest_from(col, column.mean());
    const double limit = distance * std::sqrt(column.squares / column.weight);
    if (column.varies() && !(farthest <= limit && std::isfinite(limit))) found.push_back(col);
  }
  return found;
}

Scaler standardising_scaler(MatrixView values, std::span<const double> weights, std::span<const std::string> labels) {
  base::require(weights.empty() || weights.size() == values.rows(), ErrorCode::data, "{} weights for {} rows",
                weights.size(), values.rows());
  ColumnMoments moments(values.cols());
  for (std::size_t first = 0; first < values.rows(); first += math::statistics_block) {
    const std::size_t count = std::min(math::statistics_block, values.rows() - first);
    moments.add(values.row_block(first, count), weights.empty() ? weights : weights.subspan(first, count));
  }
  return moments.scaler(labels);
}

}  // namespace credens::data
