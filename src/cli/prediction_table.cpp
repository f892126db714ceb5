// SPDX-License-Identifier: Apache-2.0

#include "cli/prediction_table.hpp"

#include <cmath>

#include "base/bytes.hpp"
#include "base/options.hpp"
#include "base/text.hpp"
#include "data/npy.hpp"

namespace credens::cli {

namespace {

Matrix square_roots(Matrix variance) {
  for (double& value : variance.values()) value = std::sqrt(value);
  return variance;
}

/// The interval of an observation, and that of the regression function.
std::pair<Interval, Interval> intervals_of(const Predictive& predictive, const PredictiveMoments& moments,
                                           const PredictionOptions& options) {
  const double level = options.level.value_or(0.95);
  if (options.coverage_factor) {
    return {moments.coverage_factor_interval(*options.coverage_factor),
            moments.function_coverage_factor_interval(*options.coverage_factor)};
  }
  if (options.interval == IntervalKind::gaussian) {
    return {moments.interval(level), moments.function_interval(level)};
  }
  return {predictive.interval(level, options.interval), predictive.function_interval(level, options.interval)};
}

/// One [N x q] matrix per column of an output.
std::vector<Matrix> kinds_of_values(const Predictive& predictive, const PredictionOptions& options) {
  PredictiveMoments moments = predictive.moments();
  auto [total, function] = intervals_of(predictive, moments, options);
  std::vector<Matrix> kinds = {std::move(moments.mean),
                               square_roots(std::move(moments.aleatoric_variance)),
                               square_roots(std::move(moments.epistemic_variance)),
                               square_roots(std::move(moments.total_variance)),
                               std::move(total.lower),
                               std::move(total.upper),
                               std::move(function.lower),
                               std::move(function.upper)};
  for (const double probability : options.quantiles) kinds.push_back(predictive.quantile(probability));
  return kinds;
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
  file_.write(is_npy_ ? data::npy_header({rows, columns.size()})
                      : base::to_text(base::FieldText<std::vector<std::string>>::value(columns)) + "\n");
}

void TableWriter::write(std::span<const MatrixView> parts, std::span<const std::string> kept) {
  for (std::size_t row = 0; row < parts.front().rows(); ++row) {
    std::string bytes = kept.empty() ? std::string() : kept[row];
    for (const MatrixView& part : parts) {
      if (is_npy_) {
        base::append_values(bytes, part.row(row));
      } else {
        for (const double value : part.row(row)) bytes += base::to_text(value) + ",";
      }
    }
    if (!is_npy_) bytes.back() = '\n';
    file_.write(bytes);
  }
  file_.flush();
}

}  // namespace credens::cli
