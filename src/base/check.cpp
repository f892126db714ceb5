// SPDX-License-Identifier: Apache-2.0

#include "base/check.hpp"

namespace credens::base {

namespace {

void check_each(MatrixView values, std::string_view name, std::size_t first_row, std::string_view expected,
                bool (*holds)(double)) {
  for (std::size_t row = 0; row < values.rows(); ++row) {
    for (std::size_t col = 0; col < values.cols(); ++col) {
      require(holds(values(row, col)), ErrorCode::data, "{}: row {}, column {} is {}, expected {}", name,
              first_row + row, col, values(row, col), expected);
    }
  }
}

}  // namespace

void check_positive(double value, std::string_view name) {
  require(std::isfinite(value) && value > 0, ErrorCode::usage, "{} is {}, expected a finite number above 0", name,
          value);
}

void check_not_negative(double value, std::string_view name) {
  require(std::isfinite(value) && value >= 0, ErrorCode::usage,
          "{} is {}, expected a finite number that is not negative", name, value);
}

void check_probability(double value, std::string_view name) {
  require(value > 0 && value < 1, ErrorCode::usage, "{} is {}, expected a number between 0 and 1", name, value);
}

void check_finite(MatrixView values, std::string_view name, std::size_t first_row) {
  check_each(values, name, first_row, "a finite number", [](double value) { return std::isfinite(value); });
}

void check_positive(MatrixView values, std::string_view name, std::size_t first_row) {
  check_each(values, name, first_row, "a finite number above 0",
             [](double value) { return std::isfinite(value) && value > 0; });
}

void check_finite(std::span<const double> values, std::string_view name) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    require(std::isfinite(values[i]), ErrorCode::data, "{}: value {} is {}, expected a finite number", name, i,
            values[i]);
  }
}

void check_shape(MatrixView values, std::size_t rows, std::size_t cols, std::string_view name) {
  require(values.rows() == rows && values.cols() == cols, ErrorCode::data, "{} is {} x {}, expected {} x {}", name,
          values.rows(), values.cols(), rows, cols);
}

}  // namespace credens::base
