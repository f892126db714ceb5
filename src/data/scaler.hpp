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

#include "math/statistics.hpp"

namespace credens::data {

/// Throws data, calling the column `label`, unless the variance of its values is a normal double.
void check_variance(double variance, std::string_view label);

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

Scaler identity_scaler(std::size_t cols);

/// Scaled in double, then rounded to float; rows of `out` are `stride` floats, pads zero. Sentences count rows from
/// `first_row`.
void scale_rows(const Scaler& scaler, MatrixView values, float* out, std::size_t stride, std::size_t first_row = 0,
                std::span<const std::string> labels = {});

/// As `scale_rows`, but without sentences: false, with `out` unfinished, where a scaled value is beyond largest_scaled
/// or NaN.
bool scale_in_range(const Scaler& scaler, MatrixView values, float* out, std::size_t stride);

/// Mean, variance and range of columns, block by block. Missing cells (NaN) count in no column.
///
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

  /// Cells of a column that are missing in rows that count.
  std::size_t missing(std::size_t col) const { return columns_[col].missing; }

  double least(std::size_t col) const { return columns_[col].least; }
  double largest(std::size_t col) const { return columns_[col].largest; }

  bool is_empty(std::size_t col) const { return !(columns_[col].weight > 0); }  ///< no value counts

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
    double weight = 0;         ///< W
    double squares = 0;        ///< S
    double least = 0;
    double largest = 0;
    std::size_t missing = 0;

    bool varies() const { return least != largest; }
    double mean() const { return sum.value() / weight; }
    void add(double block_weight, double block_sum, double block_squares);
  };

  void note_values(MatrixView rows, std::span<const double> weights);
  void add_incomplete(std::size_t col, MatrixView rows, std::span<const double> weights);

  double weight_ = 0;
  std::size_t rows_ = 0;
  std::vector<Column> columns_;
};

/// ColumnMoments::scaler of all rows. Weights may be empty; `labels` are what sentences call the columns.
Scaler standardising_scaler(MatrixView values, std::span<const double> weights,
                            std::span<const std::string> labels = {});

}  // namespace credens::data
