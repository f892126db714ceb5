// SPDX-License-Identifier: Apache-2.0

#include "cli/prediction_table.hpp"

#include <cmath>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "cli/columns.hpp"
#include "data/npy.hpp"

namespace credens::cli {

namespace {

Matrix square_roots(Matrix variance) {
  for (double& value : variance.values()) value = std::sqrt(value);
  return variance;
}

struct Intervals {
  Interval total;
  Interval function;
};

Intervals intervals_of(const Predictive& predictive, const PredictiveMoments& moments,
                       const PredictionOptions& options) {
  if (options.coverage_factor) {
    return {.total = moments.coverage_factor_interval(*options.coverage_factor),
            .function = moments.function_coverage_factor_interval(*options.coverage_factor)};
  }
  if (options.interval == IntervalKind::gaussian) {
    return {.total = moments.interval(options.level), .function = moments.function_interval(options.level)};
  }
  return {.total = predictive.interval(options.level, options.interval),
          .function = predictive.function_interval(options.level, options.interval)};
}

/// One [N x q] matrix per column of an output.
std::vector<Matrix> kinds_of_values(const Predictive& predictive, const PredictionOptions& options) {
  PredictiveMoments moments = predictive.moments();
  Intervals intervals = intervals_of(predictive, moments, options);
  std::vector<Matrix> kinds = {std::move(moments.mean),
                               square_roots(std::move(moments.aleatoric_variance)),
                               square_roots(std::move(moments.epistemic_variance)),
                               square_roots(std::move(moments.total_variance)),
                               std::move(intervals.total.lower),
                               std::move(intervals.total.upper),
                               std::move(intervals.function.lower),
                               std::move(intervals.function.upper)};
  for (const double probability : options.quantiles) kinds.push_back(predictive.quantile(probability));
  return kinds;
}

std::string row_text(std::span<const MatrixView> parts, std::size_t row) {
  std::string text;
  for (const MatrixView& part : parts) {
    for (const double value : part.row(row)) text += base::to_text(value) + ",";
  }
  text.back() = '\n';
  return text;
}

std::string row_bytes(std::span<const MatrixView> parts, std::size_t row) {
  std::string bytes;
  for (const MatrixView& part : parts) {
    base::append_values(bytes, part.row(row));
  }
  return bytes;
}

}  // namespace

std::vector<std::string> prediction_columns(const std::vector<std::string>& outputs, const PredictionOptions& options) {
  std::vector<std::string> columns;
  for (const std::string& output : outputs) {
    for (const char* kind : {"mean", "aleatoric_std", "epistemic_std", "total_std", "lower", "upper", "function_lower",
                             "function_upper"}) {
      columns.push_back(fmt::format("{}_{}", output, kind));
    }
    for (const double probability : options.quantiles) {
      columns.push_back(fmt::format("{}_quantile_{}", output, base::to_text(probability)));
    }
  }
  return columns;
}

Matrix prediction_values(const Predictive& predictive, const PredictionOptions& options) {
  const std::vector<Matrix> kinds = kinds_of_values(predictive, options);
  Matrix values(predictive.rows(), predictive.outputs() * kinds.size());
  for (std::size_t row = 0; row < predictive.rows(); ++row) {
    for (std::size_t col = 0; col < values.cols(); ++col) {
      values(row, col) = kinds[col % kinds.size()](row, col / kinds.size());
    }
  }
  return values;
}

bool is_array_file(const std::filesystem::path& path) {
  return path.extension() == ".npy";
}

TableWriter::TableWriter(const std::string& path, const std::vector<std::string>& columns, std::size_t rows)
    : file_(path), is_npy_(is_array_file(path)) {
  file_.write(is_npy_ ? data::npy_header({rows, columns.size()}) : columns_text(columns) + "\n");
}

void TableWriter::write(std::span<const MatrixView> parts) {
  for (std::size_t row = 0; row < parts.front().rows(); ++row) {
    file_.write(is_npy_ ? row_bytes(parts, row) : row_text(parts, row));
  }
  file_.flush();
}

}  // namespace credens::cli
