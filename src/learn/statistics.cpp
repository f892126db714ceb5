// SPDX-License-Identifier: Apache-2.0

#include "learn/statistics.hpp"

#include <algorithm>
#include <numeric>

#include "math/linalg.hpp"
#include "math/normal.hpp"
#include "math/statistics.hpp"

namespace credens::learn {

namespace {

double weight_of(std::span<const double> weights, std::size_t row) {
  return weights.empty() ? 1.0 : weights[row];
}

Matrix with_constant_one(const Matrix& features) {
  Matrix extended(features.rows(), features.cols() + 1, 1.0);
  for (std::size_t row = 0; row < features.rows(); ++row)
    std::ranges::copy(features.row(row), extended.row(row).begin());
  return extended;
}

/// u_i / s_ik^2 for all rows of the block.
std::vector<double> row_precisions(const Matrix& variance, std::span<const double> weights, std::size_t output) {
  std::vector<double> precision(variance.rows());
  for (std::size_t row = 0; row < precision.size(); ++row)
    precision[row] = weight_of(weights, row) / variance(row, output);
  return precision;
}

double block_log_likelihood(const model::MemberBlock& block, MatrixView targets, std::span<const double> weights) {
  math::CompensatedSum sum;
  for (std::size_t row = 0; row < targets.rows(); ++row) {
    for (std::size_t k = 0; k < targets.cols(); ++k) {
      sum.add(weight_of(weights, row) *
              math::normal_log_density(targets(row, k), block.mean(row, k), block.variance(row, k)));
    }
  }
  return sum.value();
}

std::vector<double> weighted_squares(const Matrix& phi, std::span<const double> precision) {
  std::vector<double> sums(phi.cols(), 0.0);
  for (std::size_t row = 0; row < phi.rows(); ++row) {
    for (std::size_t j = 0; j < phi.cols(); ++j) sums[j] += precision[row] * phi(row, j) * phi(row, j);
  }
  return sums;
}

std::vector<double> diagonal_of(const Matrix& gram) {
  std::vector<double> values(gram.rows());
  for (std::size_t j = 0; j < values.size(); ++j) values[j] = gram(j, j);
  return values;
}

}  // namespace

double MemberStatistics::trace(std::size_t output) const {
  const auto& values = diagonal[position_of(output)];
  return std::accumulate(values.begin(), values.end(), 0.0);
}

MemberStatistics no_rows(std::size_t features, const StatisticsShape& shape) {
  MemberStatistics statistics{.shape = shape, .width = features + (shape.random_bias ? 1 : 0)};
  const std::size_t width = statistics.width;
  statistics.diagonal.assign(shape.grams(), std::vector<double>(width, 0.0));
  if (shape.with_gram) statistics.gram.assign(shape.grams(), Matrix(width, width));
  return statistics;
}

MemberStatistics block_statistics(const model::MemberBlock& block, MatrixView targets, std::span<const double> weights,
                                  const StatisticsShape& shape) {
  MemberStatistics statistics = no_rows(block.features.cols(), shape);
  const Matrix extended = shape.random_bias ? with_constant_one(block.features) : Matrix();
  const Matrix& phi = shape.random_bias ? extended : block.features;
  for (std::size_t k = 0; k < shape.grams(); ++k) {
    const std::vector<double> precision = row_precisions(block.variance, weights, k);
    if (shape.with_gram) {
      math::add_weighted_gram(phi, precision, statistics.gram[k]);
      statistics.diagonal[k] = diagonal_of(statistics.gram[k]);
    } else {
      statistics.diagonal[k] = weighted_squares(phi, precision);
    }
  }
  if (!targets.empty()) statistics.log_likelihood = block_log_likelihood(block, targets, weights);
  return statistics;
}

void add(MemberStatistics& total, const MemberStatistics& block) {
  const auto add_values = [](std::span<double> sums, std::span<const double> values) {
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += values[j];
  };
  total.log_likelihood += block.log_likelihood;
  for (std::size_t k = 0; k < total.diagonal.size(); ++k) add_values(total.diagonal[k], block.diagonal[k]);
  for (std::size_t k = 0; k < total.gram.size(); ++k) add_values(total.gram[k].values(), block.gram[k].values());
}

}  // namespace credens::learn
