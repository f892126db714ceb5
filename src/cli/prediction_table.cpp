// SPDX-License-Identifier: Apache-2.0

#include "cli/prediction_table.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

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
                                           const PredictionOptions& options, std::optional<Interval> promised) {
  const double level = options.level.value_or(0.95);
  if (options.coverage_factor) {
    return {moments.coverage_factor_interval(*options.coverage_factor),
            moments.function_coverage_factor_interval(*options.coverage_factor)};
  }
  if (options.interval == WrittenInterval::gaussian) {
    return {moments.interval(level), moments.function_interval(level)};
  }
  return {promised ? *std::move(promised) : predictive.interval(level, IntervalKind::mixture),
          predictive.function_interval(level, IntervalKind::mixture)};
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

/// input_std and input_std_<name>, behind epistemic_std; none where inputs are exact.
void add_input_quantities(const Predictive& predictive, PredictiveMoments& moments, std::vector<Quantity>& quantities) {
  const std::vector<std::string>& names = predictive.components().inputs.names;
  if (names.empty()) return;
  std::vector<Quantity> added = {{"input_std", square_roots(std::move(moments.input_variance))}};
  for (std::size_t j = 0; j < names.size(); ++j) added.push_back({"input_std_" + names[j], predictive.input_std(j)});
  const auto behind = std::ranges::find(quantities, "epistemic_std", &Quantity::name) + 1;
  quantities.insert(behind, std::make_move_iterator(added.begin()), std::make_move_iterator(added.end()));
}

}  // namespace

std::vector<Quantity> quantities_of(const Predictive& predictive, const PredictionOptions& options,
                                    std::optional<Interval> promised) {
  PredictiveMoments moments = predictive.moments();
  auto [total, function] = intervals_of(predictive, moments, options, std::move(promised));
  std::vector<Quantity> quantities = {{"mean", std::move(moments.mean)},
                                      {"aleatoric_std", square_roots(std::move(moments.aleatoric_variance))},
                                      {"epistemic_std", square_roots(std::move(moments.epistemic_variance))},
                                      {"total_std", square_roots(std::move(moments.total_variance))},
                                      {"lower", std::move(total.lower)},
                                      {"upper", std::move(total.upper)},
                                      {"function_lower", std::move(function.lower)},
                                      {"function_upper", std::move(function.upper)}};
  add_input_quantities(predictive, moments, quantities);
  for (const double probability : options.quantiles) {
    quantities.push_back({"quantile_" + base::to_text(probability), predictive.quantile(probability)});
  }
  return quantities;
}

std::vector<WrittenColumn> prediction_columns(const std::vector<data::Column>& outputs,
                                              std::span<const Quantity> quantities) {
  std::vector<WrittenColumn> columns;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    for (const Quantity& quantity : quantities) {
      if (!quantity.is_of(k)) continue;
      columns.push_back({data::label_with_unit(fmt::format("{}_{}", outputs[k].name, quantity.name),
                                               quantity.has_unit ? outputs[k].unit : ""),
                         quantity.words});
    }
  }
  return columns;
}

Matrix prediction_values(std::span<const Quantity> quantities) {
  std::vector<std::pair<const Quantity*, std::size_t>> columns;
  for (std::size_t k = 0; k < quantities.front().values.cols(); ++k) {
    for (const Quantity& quantity : quantities) {
      if (quantity.is_of(k)) columns.emplace_back(&quantity, k);
    }
  }
  Matrix values(quantities.front().values.rows(), columns.size());
  for (std::size_t row = 0; row < values.rows(); ++row) {
    for (std::size_t col = 0; col < columns.size(); ++col) {
      values(row, col) = columns[col].first->values(row, columns[col].second);
    }
  }
  return values;
}

std::vector<WrittenColumn> class_columns(const data::Schema& schema, const PredictionOptions& options) {
  const std::string target = schema.has_counts() ? "y" : schema.targets.front().name;
  std::vector<WrittenColumn> columns{{target + "_class", schema.classes}};
  for (const std::string& name : schema.classes) columns.push_back({fmt::format("{}_probability_{}", target, name)});
  for (const char* kind : {"entropy", "aleatoric", "epistemic"}) {
    columns.push_back({fmt::format("{}_{}", target, kind)});
  }
  for (std::size_t c = 0; c < schema.classes.size() && options.class_std; ++c) {
    columns.push_back({fmt::format("{}_epistemic_std_{}", target, schema.classes[c])});
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

std::string csv_cell(const std::string& text, char delimiter) {
  if (text.find('"') == std::string::npos && text.find(delimiter) == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

bool is_array_file(const std::filesystem::path& path) {
  return path.extension() == ".npy";
}

TableWriter::TableWriter(const std::string& path, std::vector<WrittenColumn> columns, std::size_t rows, char decimal)
    : file_(path), columns_(std::move(columns)), is_npy_(is_array_file(path)), decimal_(decimal) {
  std::vector<std::string> names;
  for (const WrittenColumn& column : columns_) names.push_back(column.name);
  if (is_npy_) {
    file_.write(data::npy_header({rows, names.size()}));
  } else if (decimal_ == ',') {
    file_.write(semicolon_header(names) + "\n");
  } else {
    file_.write(base::to_text(base::FieldText<std::vector<std::string>>::value(names)) + "\n");
  }
}

std::string TableWriter::cell(const WrittenColumn& column, double value) const {
  if (column.words.empty()) return number_text(value, decimal_);
  return csv_cell(column.words.at(static_cast<std::size_t>(value)), delimiter_of(decimal_));
}

std::string TableWriter::text_row(std::span<const MatrixView> parts, std::size_t row) const {
  std::size_t width = 0;
  for (const MatrixView& part : parts) width += part.cols();
  auto column = columns_.end() - static_cast<std::ptrdiff_t>(width);
  std::string text;
  for (const MatrixView& part : parts) {
    for (const double value : part.row(row)) text += cell(*column++, value) + delimiter_of(decimal_);
  }
  text.back() = '\n';
  return text;
}

void TableWriter::write(std::span<const MatrixView> parts, std::span<const std::string> kept) {
  for (std::size_t row = 0; row < parts.front().rows(); ++row) {
    std::string bytes = kept.empty() ? std::string() : kept[row];
    if (!is_npy_) bytes += text_row(parts, row);
    for (const MatrixView& part : parts) {
      if (is_npy_) base::append_values(bytes, part.row(row));
    }
    file_.write(bytes);
  }
  file_.flush();
}

}  // namespace credens::cli
