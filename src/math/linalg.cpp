// SPDX-License-Identifier: Apache-2.0

#include "math/linalg.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/check.hpp"
#include "math/triangular.hpp"

namespace credens::math {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMap = Eigen::Map<const RowMajor, Eigen::Unaligned, Eigen::OuterStride<>>;

Eigen::Index index_of(std::size_t value) {
  return static_cast<Eigen::Index>(value);
}

ConstMap map_of(MatrixView view) {
  return {view.data(), index_of(view.rows()), index_of(view.cols()), Eigen::OuterStride<>(index_of(view.stride()))};
}

Eigen::Map<RowMajor> map_of(Matrix& matrix) {
  return {matrix.data(), index_of(matrix.rows()), index_of(matrix.cols())};
}

/// Up to this size rows in vectors are faster than Eigen's blocks, which cost more than they save.
constexpr std::size_t largest_small = 128;

std::size_t padded_stride(std::size_t size) {
  return (size + 7) / 8 * 8;
}

std::optional<Matrix> small_cholesky(MatrixView a) {
  const std::size_t size = a.rows();
  Matrix upper(size, padded_stride(size));
  std::vector<double> least_pivot(size);
  for (std::size_t i = 0; i < size; ++i) {
    std::ranges::copy(a.row(i), upper.row(i).begin());
    least_pivot[i] = std::numeric_limits<double>::epsilon() * a(i, i);  // less has no correct digit
  }
  if (!factor_upper(upper.data(), least_pivot.data(), size, upper.cols())) return std::nullopt;
  Matrix lower(size, size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) lower(i, j) = upper(j, i);
  }
  return lower;
}

Matrix small_inverse_transpose(const Matrix& lower) {
  const std::size_t size = lower.rows();
  Matrix transposed(size, padded_stride(size));
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) transposed(j, i) = lower(i, j);
  }
  Matrix inverse(size, transposed.cols());
  invert_upper(transposed.data(), inverse.data(), size, inverse.cols());
  Matrix upper(size, size);
  for (std::size_t i = 0; i < size; ++i) std::ranges::copy(inverse.row(i).first(size), upper.row(i).begin());
  return upper;
}

}  // namespace

std::optional<Matrix> cholesky(MatrixView a) {
  if (a.rows() <= largest_small) return small_cholesky(a);
  Matrix lower(a.rows(), a.cols());
  const Eigen::LLT<RowMajor, Eigen::Lower> factorisation(map_of(a));
  if (factorisation.info() != Eigen::Success) return std::nullopt;
  map_of(lower) = factorisation.matrixL();
  if (!map_of(lower).allFinite()) return std::nullopt;
  return lower;
}

Matrix inverse_transpose(const Matrix& lower) {
  if (lower.rows() <= largest_small) return small_inverse_transpose(lower);
  Matrix upper(lower.rows(), lower.cols());
  auto solution = map_of(upper);
  solution.setIdentity();
  map_of(lower.view()).transpose().triangularView<Eigen::Upper>().solveInPlace(solution);
  return upper;
}

double log_determinant(const Matrix& lower) {
  double sum = 0;
  for (std::size_t j = 0; j < lower.rows(); ++j) sum += std::log(lower(j, j));
  return 2 * sum;
}

std::vector<double> symmetric_eigenvalues(MatrixView a) {
  if (a.empty()) return {};
  const Eigen::SelfAdjointEigenSolver<RowMajor> solver(map_of(a), Eigen::EigenvaluesOnly);
  base::require(solver.info() == Eigen::Success && solver.eigenvalues().allFinite(), ErrorCode::numerical,
                "the eigenvalues of a symmetric {} x {} matrix were not found, expected finite entries", a.rows(),
                a.cols());
  return {solver.eigenvalues().begin(), solver.eigenvalues().end()};
}

namespace {

/// y_j = sum_{i <= j} x_i S_ij for the last columns, fewer than a kernel takes.
void last_columns_through(MatrixView upper, std::span<const double> x, std::size_t first, std::span<double> y) {
  for (std::size_t i = 0; i < upper.rows(); ++i) {
    const double value = i < x.size() ? x[i] : 1;
    for (std::size_t j = std::max(i, first); j < upper.rows(); ++j) y[j - first] += value * upper(i, j);
  }
}

}  // namespace

double squared_norm_through(MatrixView upper, std::span<const double> x) {
  double sum = 0;
  for (std::size_t first = 0; first < upper.rows(); first += columns_of_product) {
    const std::size_t count = std::min(columns_of_product, upper.rows() - first);
    std::array<double, columns_of_product> y{};
    if (count == columns_of_product && first + count <= x.size()) {
      columns_through(upper.data(), upper.stride(), x.data(), first, y.data());
    } else {
      last_columns_through(upper, x, first, y);
    }
    for (std::size_t t = 0; t < count; ++t) sum += y[t] * y[t];
  }
  return sum;
}

}  // namespace credens::math
