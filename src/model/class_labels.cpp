// SPDX-License-Identifier: Apache-2.0

#include "model/class_labels.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.hpp"
#include "data/classes.hpp"
#include "data/table.hpp"

namespace credens::model {

namespace {

/// Shares in single precision add up to 1 within this.
constexpr double shares_rounding = 1e-6;

void check_number(double label, std::size_t classes, std::string_view name, std::size_t row) {
  const bool is_class = label >= 0 && label < static_cast<double>(classes) && label == std::floor(label);
  base::require(is_class, ErrorCode::data, "{}: row {} is {}, expected the number of a class, 0 to {}", name, row,
                label, classes - 1);
}

void check_counts(std::span<const double> counts, std::string_view name, std::size_t row) {
  for (std::size_t c = 0; c < counts.size(); ++c) {
    base::require(std::isfinite(counts[c]) && counts[c] >= 0, ErrorCode::data,
                  "{}: row {}, class {} is {}, expected a count or a share, from 0", name, row, c, counts[c]);
  }
  const double sum = std::accumulate(counts.begin(), counts.end(), 0.0);
  base::require(sum > 0 && std::isfinite(sum), ErrorCode::data,
                "{}: row {} has the sum {}, expected a count or a share above 0", name, row, sum);
}

double weight_of(double sum) {
  return std::abs(sum - 1) <= shares_rounding ? 1.0 : sum;
}

}  // namespace

void check_class_count(std::size_t classes, std::string_view name) {
  base::require(classes >= 2 && classes <= data::most_classes, ErrorCode::data,
                "{} has {}, expected one for each class, 2 to {}", name, data::count_of(classes, "column"),
                data::most_classes);
}

void check_labels(MatrixView labels, std::size_t classes, std::string_view name, std::size_t first_row) {
  base::require(labels.cols() == 1 || labels.cols() == classes, ErrorCode::data,
                "{} has {} columns, expected 1, numbers of classes, or {}, counts or shares", name, labels.cols(),
                classes);
  for (std::size_t row = 0; row < labels.rows(); ++row) {
    if (labels.cols() == 1) {
      check_number(labels(row, 0), classes, name, first_row + row);
    } else {
      check_counts(labels.row(row), name, first_row + row);
    }
  }
}

WeightedLabels weighted_labels(MatrixView labels, std::span<const double> weights) {
  WeightedLabels weighted{Matrix(labels.rows(), labels.cols()), {weights.begin(), weights.end()}};
  for (std::size_t row = 0; row < labels.rows(); ++row) {
    std::ranges::copy(labels.row(row), weighted.labels.row(row).begin());
  }
  if (labels.cols() == 1) return weighted;
  if (weights.empty()) weighted.weights.assign(labels.rows(), 1.0);
  for (std::size_t row = 0; row < labels.rows(); ++row) {
    const std::span<double> shares = weighted.labels.row(row);
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= sum;
    weighted.weights[row] *= weight_of(sum);
  }
  return weighted;
}

}  // namespace credens::model
