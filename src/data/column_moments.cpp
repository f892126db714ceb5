// SPDX-License-Identifier: Apache-2.0

#include "data/column_moments.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "data/names.hpp"
#include "math/statistics.hpp"

namespace credens::data {

namespace {

double weight_at(std::span<const double> weights, std::size_t row) {
  return weights.empty() ? 1 : weights[row];
}

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
  for (std::size_t row = 0; row < rows; ++row) total.add(weight_at(weights, row));
  return total.value();
}

/// Calls visit(weight, values) for the rows that count.
template <class Visit>
void for_rows(MatrixView rows, std::span<const double> weights, const Visit& visit) {
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const double weight = weight_at(weights, row);
    if (weight > 0) visit(weight, rows.row(row).data());
  }
}

/// What one block holds: the weighted sums and the sums of squared deviations from the block's own means.
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

void ColumnMoments::add(MatrixView rows, std::span<const double> weights) {
  const double weight = total_weight(rows.rows(), weights);
  if (!(weight > 0)) return;
  note_values(rows, weights);
  const BlockSums block(rows, weights, weight);
  const double total = weight_ + weight;
  for (std::size_t col = 0; col < columns_.size(); ++col) {
    Column& column = columns_[col];
    const double sum = block.sums.value(col);
    column.squares += block.squares.value(col);
    if (weight_ > 0) {
      const double gap = sum / weight - column.sum.value() / weight_;
      column.squares += gap * gap * weight_ * (weight / total);
    }
    column.sum.add(sum);
  }
  weight_ = total;
}

void ColumnMoments::note_values(MatrixView rows, std::span<const double> weights) {
  bool is_first = !(weight_ > 0);
  for_rows(rows, weights, [&](double, const double* values) {
    for (std::size_t col = 0; col < columns_.size(); ++col) {
      Column& column = columns_[col];
      column.least = is_first ? values[col] : std::min(column.least, values[col]);
      column.largest = is_first ? values[col] : std::max(column.largest, values[col]);
    }
    is_first = false;
    ++rows_;
  });
}

Scaler ColumnMoments::scaler(std::span<const std::string> labels, std::span<const std::size_t> without) const {
  base::require(weight_ > 0, ErrorCode::data, "no rows to standardise by, expected at least one that counts");
  Scaler scaler = identity_scaler(columns_.size());
  for (std::size_t col = 0; col < columns_.size(); ++col) {
    if (std::ranges::binary_search(without, col)) continue;
    const Column& column = columns_[col];
    scaler.shift[col] = column.least;  // of a constant column; its mean may differ in the last bit
    if (!column.varies()) continue;
    const double variance = column.squares / weight_;
    scaler.shift[col] = mean(column);
    base::require(std::isfinite(scaler.shift[col]) && std::isfinite(variance), ErrorCode::data,
                  "{}: the variance of its values is beyond the largest double", label_of(col, labels));
    base::require(std::isnormal(variance), ErrorCode::data,
                  "{}: the variance of its values is below the smallest double, expected other units",
                  label_of(col, labels));
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
    const double farthest = std::max(column.largest - mean(column), mean(column) - column.least);
    const double limit = distance * std::sqrt(column.squares / weight_);
    if (column.varies() && !(farthest <= limit && std::isfinite(limit))) found.push_back(col);
  }
  return found;
}

}  // namespace credens::data
