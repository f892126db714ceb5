// SPDX-License-Identifier: Apache-2.0

#include "math/linalg.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.hpp"

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

}  // namespace

std::optional<Matrix> cholesky(MatrixView a) {
  Matrix lower(a.rows(), a.cols());
  const Eigen::LLT<RowMajor, Eigen::Lower> factorisation(map_of(a));
  if (factorisation.info() != Eigen::Success) return std::nullopt;
  map_of(lower) = factorisation.matrixL();
  if (!map_of(lower).allFinite()) return std::nullopt;
  return lower;
}

Matrix inverse_transpose(const Matrix& lower) {
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

double squared_norm_through(MatrixView upper, std::span<const double> x) {
  // y = S^T x, `width` entries at a time: y_j = sum_{i <= j} x_i S_ij.
  constexpr std::size_t width = 16;
  double sum = 0;
  const auto value_of = [x](std::size_t i) { return i < x.size() ? x[i] : 1.0; };
  for (std::size_t first = 0; first < upper.rows(); first += width) {
    const std::size_t count = std::min(width, upper.rows() - first);
    std::array<double, width> y{};
    for (std::size_t i = 0; i < first + count; ++i) {
      const double* row = upper.row(i).data() + first;
      for (std::size_t t = i > first ? i - first : 0; t < count; ++t) y[t] += value_of(i) * row[t];
    }
    for (const double value : y) sum += value * value;
  }
  return sum;
}

}  // namespace credens::math
