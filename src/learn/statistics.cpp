// SPDX-License-Identifier: Apache-2.0

#include "learn/statistics.hpp"

#include <numeric>

#include "model/likelihood.hpp"

namespace credens::learn {

namespace {

double weight_of(std::span<const double> weights, std::size_t row) {
  return weights.empty() ? 1.0 : weights[row];
}

double log_likelihood_of_row(Task task, const StatisticsRows& rows, std::size_t row) {
  const model::Likelihood likelihood{.task = task, .outputs = rows.member.mean.cols()};
  return weight_of(rows.weights, row) *
         likelihood.log_likelihood(rows.member.mean.row(row), rows.member.variance.row(row), rows.targets.row(row));
}

/// sums_j += precision_i phi_ij^2; the phi that is left out of a row is 1.
template <class T>
void add_weighted_squares(BasicMatrixView<T> phi, std::span<const double> precision, std::vector<double>& sums) {
  for (std::size_t row = 0; row < phi.rows(); ++row) {
    for (std::size_t j = 0; j < phi.cols(); ++j) {
      const double value = phi(row, j);
      sums[j] += precision[row] * value * value;
    }
    if (phi.cols() < sums.size()) sums.back() += precision[row];
  }
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

BlockStatistics::BlockStatistics(std::size_t features, const StatisticsShape& shape)
    : sums_(no_rows(features, {shape.outputs, shape.task, shape.random_bias, shape.shared_noise, false})) {
  sums_.shape = shape;
  for (std::size_t k = 0; k < shape.grams() && shape.with_gram; ++k) grams_.emplace_back(sums_.width);
}

void BlockStatistics::add(const StatisticsRows& rows) {
  const std::size_t count = rows.member.variance.rows();
  precision_.resize(count);
  for (std::size_t k = 0; k < sums_.shape.grams(); ++k) {
    for (std::size_t row = 0; row < count; ++row) {
      precision_[row] = weight_of(rows.weights, row) / rows.member.variance(row, k);
    }
    rows.member.features.visit([&](const auto& features) {
      if (sums_.shape.with_gram) {
        grams_[k].add(features, precision_);
      } else {
        add_weighted_squares(features, precision_, sums_.diagonal[k]);
      }
    });
  }
  for (std::size_t row = 0; row < rows.targets.rows(); ++row) {
    log_likelihood_.add(log_likelihood_of_row(sums_.shape.task, rows, row));
  }
}

MemberStatistics BlockStatistics::value() && {
  sums_.log_likelihood = log_likelihood_.value();
  for (std::size_t k = 0; k < grams_.size(); ++k) {
    sums_.gram.push_back(grams_[k].value());
    sums_.diagonal[k] = diagonal_of(sums_.gram[k]);
  }
  return std::move(sums_);
}

void add(MemberStatistics& total, const MemberStatistics& block) {
  const auto add_values = [](std::span<double> sums, std::span<const double> values) {
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += values[j];
  };
  total.log_likelihood += block.log_likelihood;
  for (std::size_t k = 0; k < total.diagonal.size(); ++k) add_values(total.diagonal[k], block.diagonal[k]);
  for (std::size_t k = 0; k < total.gram.size(); ++k) add_values(total.gram[k].values(), block.gram[k].values());
}

void scale(MemberStatistics& statistics, double factor) {
  const auto scale_values = [factor](std::span<double> sums) {
    for (double& sum : sums) sum *= factor;
  };
  for (std::vector<double>& values : statistics.diagonal) scale_values(values);
  for (Matrix& gram : statistics.gram) scale_values(gram.values());
}

void append_sums(std::string& bytes, const MemberStatistics& statistics) {
  base::append_value(bytes, statistics.log_likelihood);
  for (const std::vector<double>& values : statistics.diagonal) {
    base::append_values(bytes, std::span<const double>(values));
  }
  for (const Matrix& gram : statistics.gram) base::append_values(bytes, std::span<const double>(gram.values()));
}

void read_sums(base::ByteReader& reader, MemberStatistics& statistics) {
  statistics.log_likelihood = reader.value<double>();
  for (std::vector<double>& values : statistics.diagonal) reader.values(std::span<double>(values));
  for (Matrix& gram : statistics.gram) reader.values(std::span<double>(gram.values()));
}

}  // namespace credens::learn
