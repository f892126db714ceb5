// SPDX-License-Identifier: Apache-2.0
//
// Mean, variance and range of columns, block by block.

#pragma once

#include <credens/matrix.hpp>

#include <span>
#include <string>
#include <vector>

#include "data/scaler.hpp"
#include "math/statistics.hpp"

namespace credens::data {

/// Letters: W the sum of the weights, m the weighted mean, S the weighted sum of squared deviations from m. Two blocks
/// a and b make one with
///
///     W = W_a + W_b    m = (W_a m_a + W_b m_b) / W    S = S_a + S_b + (m_b - m_a)^2 W_a W_b / W
///
/// Within a block S is taken about the block's own mean, so that nothing is lost far from zero.
class ColumnMoments {
 public:
  explicit ColumnMoments(std::size_t cols) : columns_(cols) {}

  /// One block more, at most `math::statistics_block` rows if results are to be the same however rows arrive. Weights
  /// may be empty; rows of weight 0 are left out.
  void add(MatrixView rows, std::span<const double> weights);

  /// Weighted mean and population standard deviation; a constant column keeps scale 1, so that it becomes 0. Throws
  /// data where no row counts and where a variance is no normal double; `labels` are what sentences call the columns,
  /// empty: `column 3 (counted from 0)`. Columns `without` (ascending) get shift 0 and scale 1.
  Scaler scaler(std::span<const std::string> labels = {}, std::span<const std::size_t> without = {}) const;

  /// Those that count.
  std::size_t rows() const { return rows_; }

  /// Columns of which all values that count are equal.
  std::vector<std::size_t> constant_columns() const;

  /// Columns with a value more than `distance` standard deviations from the mean; also those whose moments are beyond
  /// double and so cannot tell.
  std::vector<std::size_t> columns_with_outliers(double distance) const;

  /// Largest distance of a value that counts from `centre`.
  double farthest_from(std::size_t col, double centre) const;

 private:
  struct Column {
    math::CompensatedSum sum;  ///< W m
    double squares = 0;        ///< S
    double least = 0;
    double largest = 0;

    bool varies() const { return least != largest; }
  };

  double mean(const Column& column) const { return column.sum.value() / weight_; }
  void note_values(MatrixView rows, std::span<const double> weights);

  double weight_ = 0;
  std::size_t rows_ = 0;
  std::vector<Column> columns_;
};

}  // namespace credens::data
