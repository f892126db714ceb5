// SPDX-License-Identifier: Apache-2.0
//
// Symmetric positive definite matrices in double. Eigen stays behind this header.

#pragma once

#include <credens/matrix.hpp>

#include <optional>
#include <span>
#include <vector>

namespace credens::math {

/// S = sum_i weight_i x_i x_i^T over rows x_i of p values, of which the last may be left out and is then 1. Rows may
/// come in pieces: how they are cut does not change the bits.
class GramSum {
 public:
  explicit GramSum(std::size_t cols);     ///< of no rows; p = cols
  explicit GramSum(const Matrix& start);  ///< added to what is there
  Matrix value() const;                   ///< [p x p], both triangles equal
  std::size_t cols() const { return cols_; }

  void add(MatrixView rows, std::span<const double> weight);
  void add(BasicMatrixView<float> rows, std::span<const double> weight);

 private:
  template <class T>
  void add_rows(BasicMatrixView<T> rows, std::span<const double> weight);

  std::size_t cols_;
  std::size_t width_;             ///< padded for the kernels
  std::vector<double> sum_;       ///< [width x width], lower triangle
  std::vector<double> plain_;     ///< some rows in double
  std::vector<double> weighted_;  ///< these rows times their weights
};

/// gram += sum_i weight_i x_i x_i^T over the rows x_i of `rows` [n x p].
void add_weighted_gram(MatrixView rows, std::span<const double> weight, Matrix& gram);

/// Lower Cholesky factor L with A = L L^T, or nothing where A is not positive definite to working precision.
std::optional<Matrix> cholesky(MatrixView a);

/// S = L^-T, upper triangular, so that S S^T = A^-1.
Matrix inverse_transpose(const Matrix& lower);

/// log det A from its factor: 2 sum log L_jj.
double log_determinant(const Matrix& lower);

/// Eigenvalues of a symmetric matrix, ascending.
std::vector<double> symmetric_eigenvalues(MatrixView a);

/// |S^T x|^2 for upper triangular S [p x p]; x may lack its last value, which is then 1.
double squared_norm_through(MatrixView upper, std::span<const double> x);

}  // namespace credens::math
