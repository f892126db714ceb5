// SPDX-License-Identifier: Apache-2.0

#include "cli/prediction_table.hpp"

#include <algorithm>
#include <cmath>

#include "base/bytes.hpp"
#include "base/options.hpp"
#include "base/text.hpp"
#include "data/npy.hpp"
#include "data/units.hpp"

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

/// A name with a semicolon or a quote stands in quotes, and its quotes twice.
std::string semicolon_header(const std::vector<std::string>& columns) {
  std::vector<std::string> fields;
  for (const std::string& column : columns) {
    const bool is_plain = column.find_first_of(";\"") == std::string::npos && base::trim(column) == column;
    std::string quoted = "\"";
    for (const char c : column) quoted += c == '"' ? "\"\"" : std::string(1, c);
    fields.push_back(is_plain ? column : quoted + "\"");
  }
  return base::join(fields, ";");
}

}  // namespace

std::vector<std::string> prediction_columns(const std::vector<data::Column>& outputs,
                                            const PredictionOptions& options) {
  std::vector<std::string> columns;
  for (const data::Column& output : outputs) {
    const auto add = [&](const std::string& kind) {
      columns.push_back(data::label_with_unit(fmt::format("{}_{}", output.name, kind), output.unit));
    };
    for (const char* kind : {"mean", "aleatoric_std", "epistemic_std", "total_std", "lower", "upper", "function_lower",
                             "function_upper"}) {
      add(kind);
    }
    for (const double probability : options.quantiles) add("quantile_" + base::to_text(probability));
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

std::vector<std::string> class_columns(const data::Schema& schema, const PredictionOptions& options) {
  const std::string target = schema.has_counts() ? "y" : schema.targets.front().name;
  std::vector<std::string> columns{target + "_class"};
  for (const std::string& name : schema.classes) columns.push_back(fmt::format("{}_probability_{}", target, name));
  for (const char* kind : {"entropy", "aleatoric", "epistemic"}) columns.push_back(fmt::format("{}_{}", target, kind));
  for (std::size_t c = 0; c < schema.classes.size() && options.class_std; ++c) {
    columns.push_back(fmt::format("{}_epistemic_std_{}", target, schema.classes[c]));
  }
  return columns;
}

Matrix class_values(const ClassPredictive& predictive, const PredictionOptions& options) {
  const std::size_t classes = predictive.classes();
  Matrix values(predictive.rows(), 4 + classes * (options.class_std ? 2 : 1));
  for (std::size_t row = 0; row < predictive.rows(); ++row) {
    auto value = values.row(row).begin();
    *value++ = static_cast<double>(predictive.predicted(row));
    value = std::ranges::copy(predictive.probability.row(row), value).out;
    for (const auto* entropy : {&predictive.entropy, &predictive.aleatoric, &predictive.epistemic}) {
      *value++ = (*entropy)[row];
    }
    for (std::size_t c = 0; c < classes && options.class_std; ++c) {
      *value++ = std::sqrt(predictive.epistemic_variance(row, c));
    }
  }
  return values;
}

std::string number_text(double value, char decimal) {
  std::string text = base::to_text(value);
  if (decimal != '.') std::ranges::replace(text, '.', decimal);
  return text;
}

bool is_array_file(const std::filesystem::path& path) {
  return path.extension() == ".npy";
}

TableWriter::TableWriter(const std::string& path, const std::vector<std::string>& columns, std::size_t rows,
                         char decimal)
    : file_(path), is_npy_(is_array_file(path)), decimal_(decimal) {
  if (is_npy_) {
    file_.write(data::npy_header({rows, columns.size()}));
  } else if (decimal_ == ',') {
    file_.write(semicolon_header(columns) + "\n");
  } else {
    file_.write(base::to_text(base::FieldText<std::vector<std::string>>::value(columns)) + "\n");
  }
}

void TableWriter::write(std::span<const MatrixView> parts, std::span<const std::string> kept) {
  for (std::size_t row = 0; row < parts.front().rows(); ++row) {
    std::string bytes = kept.empty() ? std::string() : kept[row];
    for (const MatrixView& part : parts) {
      if (is_npy_) {
        base::append_values(bytes, part.row(row));
      } else {
        for (const double value : part.row(row)) bytes += number_text(value, decimal_) + delimiter_of(decimal_);
      }
    }
    if (!is_npy_) bytes.back() = '\n';
    file_.write(bytes);
  }
  file_.flush();
}

}  // namespace credens::cli
