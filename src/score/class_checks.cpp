// SPDX-License-Identifier: Apache-2.0

#include "score/class_checks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <vector>

#include "base/check.hpp"

namespace credens::scoring {

namespace {

constexpr double rounding_of_sums = 1e-9;
constexpr double largest_count_sum = 1e15;  ///< so that no product of weights overflows

void check_row_values(const std::vector<double>& values, std::size_t rows, std::string_view name) {
  base::require(values.size() == rows, ErrorCode::data, "{} has {} values, expected {}", name, values.size(), rows);
  base::check_finite(values, name);
}

void check_labels(MatrixView targets, std::size_t classes) {
  for (std::size_t row = 0; row < targets.rows(); ++row) {
    const double label = targets(row, 0);
    base::require(label >= 0 && label < static_cast<double>(classes) && label == std::floor(label), ErrorCode::data,
                  "targets: row {} is {}, expected the index of a class, a whole number from 0 to {}", row, label,
                  classes - 1);
  }
}

void check_counts(MatrixView targets) {
  for (std::size_t row = 0; row < targets.rows(); ++row) {
    for (std::size_t col = 0; col < targets.cols(); ++col) {
      const double count = targets(row, col);
      base::require(std::isfinite(count) && count >= 0, ErrorCode::data,
                    "targets: row {}, column {} is {}, expected a count, a finite number that is not negative", row,
                    col, count);
    }
    const double sum = sum_of(targets.row(row));
    base::require(sum > 0 && sum <= largest_count_sum, ErrorCode::data,
                  "targets: row {} has the sum {}, expected counts with a sum above 0 and at most {}", row, sum,
                  largest_count_sum);
  }
}

}  // namespace

void check_class_predictive(const ClassPredictive& predictive) {
  for (std::size_t row = 0; row < predictive.rows(); ++row) {
    for (std::size_t col = 0; col < predictive.classes(); ++col) {
      const double value = predictive.probability(row, col);
      base::require(value >= 0 && value <= 1 + rounding_of_sums, ErrorCode::data,
                    "probability: row {}, column {} is {}, expected a number from 0 to 1", row, col, value);
    }
  }
  check_row_values(predictive.entropy, predictive.rows(), "entropy");
  check_row_values(predictive.aleatoric, predictive.rows(), "aleatoric");
  check_row_values(predictive.epistemic, predictive.rows(), "epistemic");
}

void check_class_targets(MatrixView targets, std::size_t rows, std::size_t classes) {
  base::require(targets.rows() == rows && (targets.cols() == 1 || targets.cols() == classes), ErrorCode::data,
                "targets is {} x {}, expected {} x 1 with class indices or {} x {} with counts", targets.rows(),
                targets.cols(), rows, rows, classes);
  targets.cols() == 1 ? check_labels(targets, classes) : check_counts(targets);
}

double doubt_at(const ClassPredictive& predictive, std::size_t row) {
  return std::max(0.0, 1 - std::ranges::max(predictive.probability.row(row)));
}

double sum_of(std::span<const double> counts) {
  return std::accumulate(counts.begin(), counts.end(), 0.0);
}

}  // namespace credens::scoring
