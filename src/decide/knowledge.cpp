// SPDX-License-Identifier: Apache-2.0

#include "decide/knowledge.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/parallel.hpp"
#include "math/kernels.hpp"

namespace credens::decide {

namespace {

constexpr std::size_t block_rows = 256;

void for_blocks(std::size_t rows, int threads, const std::function<void(std::size_t first, std::size_t end)>& work) {
  base::parallel_for((rows + block_rows - 1) / block_rows, threads, [&](std::size_t block) {
    work(block * block_rows, std::min(rows, (block + 1) * block_rows));
  });
}

double squared_norm(std::span<const double> x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return sum;
}

std::vector<double> in_double(std::span<const float> x) {
  return {x.begin(), x.end()};
}

/// The rows as the panels of a dense layer without bias, whose outputs are their products with what comes in.
base::AlignedVector<float> panels_of(const FunctionRows& rows, std::size_t output, const math::PanelShape& shape) {
  base::AlignedVector<float> panels(shape.size());
  for (std::size_t t = 0; t < rows.rows(); ++t) {
    const std::span<const float> psi = rows.row(t, output);
    for (std::size_t j = 0; j < psi.size(); ++j) panels[shape.index(j, t)] = psi[j];
  }
  return panels;
}

}  // namespace

Knowledge::Knowledge(const FunctionRows& pool, const FunctionRows& at, std::size_t output, bool weighs, int threads)
    : pool_(pool), at_(at), output_(output), threads_(threads), variance_(pool.rows()) {
  for_blocks(pool.rows(), threads, [&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) variance_[i] = squared_norm(in_double(pool.row(i, output)));
  });
  for (std::size_t t = 0; t < at.rows(); ++t) total_variance_ += squared_norm(in_double(at.row(t, output)));
  if (weighs) sum_squares();
}

void Knowledge::sum_squares() {
  const math::PanelShape shape{.in = at_.stride, .out = at_.rows()};
  const base::AlignedVector<float> panels = panels_of(at_, output_, shape);
  const std::size_t width = math::padded(shape.out);
  squares_.resize(pool_.rows());
  for_blocks(pool_.rows(), threads_, [&](std::size_t first, std::size_t end) {
    base::AlignedVector<float> products((end - first) * width);
    math::dense_forward(pool_.row(first, output_).data(), pool_.stride, end - first, panels.data(), shape, nullptr,
                        products.data(), width, nullptr);
    for (std::size_t i = first; i < end; ++i) {
      squares_[i] = squared_norm(in_double(std::span(products).subspan((i - first) * width, shape.out)));
    }
  });
}

/// A x.
std::vector<double> Knowledge::conditional(std::vector<double> direction) const {
  std::vector<double> result = direction;
  for (const std::vector<double>& b : measured_) {
    double along = 0;
    for (std::size_t j = 0; j < b.size(); ++j) along += b[j] * direction[j];
    for (std::size_t j = 0; j < b.size(); ++j) result[j] -= along * b[j];
  }
  return result;
}

/// b = A psi / sqrt(psi^T A psi + noise). A covariance psi_t^T A psi then falls by (psi_t^T b)(b^T psi).
void Knowledge::measure(std::span<const float> psi, double noise_variance) {
  std::vector<double> b = conditional(in_double(psi));
  const double root = std::sqrt(std::max(0.0, dot(psi, b)) + noise_variance);
  for (double& value : b) value /= root;

  std::vector<double> sum(b.size());  // sum_t psi_t psi_t^T b
  double decrease = 0;
  for (std::size_t t = 0; t < at_.rows(); ++t) {
    const std::span<const float> row = at_.row(t, output_);
    const double along = dot(row, b);
    decrease += along * along;
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += along * static_cast<double>(row[j]);
  }
  total_variance_ = std::max(0.0, total_variance_ - decrease);
  const std::vector<double> cross = conditional(std::move(sum));
  for_blocks(pool_.rows(), threads_, [&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      const std::span<const float> row = pool_.row(i, output_);
      const double along = dot(row, b);
      variance_[i] = std::max(0.0, variance_[i] - along * along);
      if (squares_.empty()) continue;
      squares_[i] = std::max(0.0, squares_[i] + along * (along * decrease - 2 * dot(row, cross)));
    }
  });
  measured_.push_back(std::move(b));
}

double Knowledge::decrease(std::size_t row) const {
  return squares_[row] / static_cast<double>(at_.rows()) / (variance_[row] + pool_.noise(row, output_));
}

}  // namespace credens::decide
