// SPDX-License-Identifier: Apache-2.0

#include <credens/dataset.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/fingerprint.hpp"
#include "data/names.hpp"
#include "data/row_source.hpp"
#include "data/split.hpp"

namespace credens {

namespace {

void check_names(const std::vector<std::string>& names, std::size_t count, std::string_view what) {
  base::require(names.size() == count, ErrorCode::data, "{} for {}", data::count_of(names.size(), "name"),
                data::count_of(count, what));
  for (const std::string& name : names) {
    base::require(base::is_utf8(name) && !data::has_control_character(name), ErrorCode::data,
                  "the {} name {} is not one line of UTF-8", what, base::quoted(name));
  }
  if (const auto twins = data::first_duplicate(names)) {
    base::fail(ErrorCode::data, "{}s {} and {} are both named {}, expected different names", what, twins->first,
               twins->second, base::quoted(names[twins->first]));
  }
}

void check_weights(const std::vector<double>& weights, std::size_t rows) {
  if (weights.empty()) return;
  base::require(weights.size() == rows, ErrorCode::data, "{} for {}", data::count_of(weights.size(), "weight"),
                data::count_of(rows, "row"));
  for (std::size_t row = 0; row < rows; ++row) {
    base::require(std::isfinite(weights[row]) && weights[row] >= 0, ErrorCode::data,
                  "the weight of row {} is {}, expected a finite number that is not negative", row, weights[row]);
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  base::require(sum > 0, ErrorCode::data, "all weights are 0, expected at least one above 0");
  base::require(std::isfinite(sum), ErrorCode::data, "the sum of the weights is beyond the largest double");
}

/// Its square, the variance, must be a positive double as well.
void check_noise(MatrixView noise_std, std::size_t rows, std::size_t targets) {
  if (noise_std.empty()) return;
  base::check_shape(noise_std, rows, targets, "noise");
  base::check_positive(noise_std, "noise");
  for (std::size_t row = 0; row < rows; ++row) {
    for (const double value : noise_std.row(row)) {
      base::require(std::isnormal(value * value), ErrorCode::data,
                    "noise: row {} holds {}, whose square is no usable variance", row, value);
    }
  }
}

void check_columns(const DatasetParts& parts) {
  const auto& columns = parts.input_columns;
  base::require(columns.size() == parts.inputs.cols(), ErrorCode::data, "{} for {}",
                data::count_of(columns.size(), "position"), data::count_of(parts.inputs.cols(), "input"));
  const std::size_t last = *std::max_element(columns.begin(), columns.end());
  base::require(last < parts.table_columns, ErrorCode::data, "an input is column {} of a table of {}", last,
                parts.table_columns);
  const auto& targets = parts.target_columns;
  base::require(targets.empty() || targets.size() == parts.targets.cols(), ErrorCode::data, "{} for {}",
                data::count_of(targets.size(), "position"), data::count_of(parts.targets.cols(), "target"));
  for (const std::size_t column : targets) {
    base::require(column < parts.table_columns, ErrorCode::data, "a target is column {} of a table of {}", column,
                  parts.table_columns);
  }
}

void fill_defaults(DatasetParts& parts) {
  if (parts.target_names.empty()) parts.target_names = data::default_target_names(parts.targets.cols());
  if (parts.input_columns.empty()) {
    parts.input_columns.resize(parts.inputs.cols());
    std::iota(parts.input_columns.begin(), parts.input_columns.end(), std::size_t{0});
  }
  if (parts.table_columns == 0) parts.table_columns = parts.inputs.cols();
}

void check(const DatasetParts& parts) {
  const std::size_t rows = parts.inputs.rows();
  base::require(!parts.inputs.empty(), ErrorCode::data, "inputs are {} x {}, expected at least one row and one column",
                rows, parts.inputs.cols());
  base::require(!parts.targets.empty() && parts.targets.rows() == rows, ErrorCode::data,
                "targets are {} x {}, expected {} and at least one column", parts.targets.rows(), parts.targets.cols(),
                data::count_of(rows, "row"));
  base::check_finite(parts.inputs, "inputs");
  base::check_finite(parts.targets, "targets");
  check_weights(parts.weights, rows);
  check_noise(parts.noise_std, rows, parts.targets.cols());
  const std::size_t noise_names = parts.noise_names.size();
  base::require(noise_names <= 1 || noise_names == parts.targets.cols(), ErrorCode::data,
                "{} of noise for {}, expected none, one or one each", data::count_of(noise_names, "name"),
                data::count_of(parts.targets.cols(), "target"));
  if (!parts.input_names.empty()) check_names(parts.input_names, parts.inputs.cols(), "input");
  check_names(parts.target_names, parts.targets.cols(), "target");
  base::require(std::ranges::find(parts.target_names, "") == parts.target_names.end(), ErrorCode::data,
                "a target has an empty name");
  check_columns(parts);
}

Matrix select_rows(const Matrix& values, std::span<const std::size_t> rows) {
  if (values.empty()) return {};
  Matrix selected(rows.size(), values.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) std::ranges::copy(values.row(rows[i]), selected.row(i).begin());
  return selected;
}

}  // namespace

Dataset::Dataset(DatasetParts parts) : parts_(std::move(parts)) {
  fill_defaults(parts_);
  check(parts_);
}

Dataset Dataset::from_file(const std::filesystem::path& path, const DatasetOptions& options) {
  return data::read_dataset(*data::open_rows(path, options));
}

Dataset Dataset::from_csv(const std::filesystem::path& path, const DatasetOptions& options) {
  return data::read_dataset(*data::open_rows(path, options, data::FileKind::text));
}

Dataset Dataset::from_npy(const std::filesystem::path& path, const DatasetOptions& options) {
  return data::read_dataset(*data::open_rows(path, options, data::FileKind::npy));
}

Dataset Dataset::select(std::span<const std::size_t> rows) const {
  const auto beyond = std::ranges::find_if(rows, [&](std::size_t row) { return row >= this->rows(); });
  if (beyond != rows.end()) {
    base::fail(ErrorCode::usage, "row {} is selected from {}", *beyond, data::count_of(this->rows(), "row"));
  }
  std::vector<double> weights;
  if (!parts_.weights.empty()) {
    for (const std::size_t row : rows) weights.push_back(parts_.weights[row]);
  }
  return Dataset({.inputs = select_rows(parts_.inputs, rows),
                  .targets = select_rows(parts_.targets, rows),
                  .weights = std::move(weights),
                  .noise_std = select_rows(parts_.noise_std, rows),
                  .input_names = parts_.input_names,
                  .target_names = parts_.target_names,
                  .weight_name = parts_.weight_name,
                  .noise_names = parts_.noise_names,
                  .input_columns = parts_.input_columns,
                  .table_columns = parts_.table_columns,
                  .target_columns = parts_.target_columns});
}

std::pair<Dataset, Dataset> Dataset::split(const SplitOptions& options) const {
  const data::SplitRows rows = data::split_rows(this->rows(), options);
  return {select(rows.rest), select(rows.test)};
}

std::string Dataset::fingerprint() const {
  return data::fingerprint(*this);
}

}  // namespace credens
