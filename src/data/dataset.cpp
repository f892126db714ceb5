// SPDX-License-Identifier: Apache-2.0

#include <credens/dataset.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "data/classes.hpp"
#include "data/complete_rows.hpp"
#include "data/row_checks.hpp"
#include "data/row_source.hpp"
#include "data/schema.hpp"
#include "data/table.hpp"

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
  data::check_weights(weights, [](std::size_t row) { return fmt::format("the weight of row {}", row); });
  data::check_weight_total(std::accumulate(weights.begin(), weights.end(), 0.0), "");
}

void check_noise(MatrixView noise_std, std::size_t rows, std::size_t targets) {
  if (noise_std.empty()) return;
  base::check_shape(noise_std, rows, targets, "noise");
  data::check_noise(noise_std, {}, [](std::size_t row, std::size_t column) {
    return fmt::format("noise: row {}, column {}", row, column);
  });
}

/// Groups or times: none, or one finite number per row.
void check_labels(const std::vector<double>& labels, std::size_t rows, std::string_view what) {
  if (labels.empty()) return;
  base::require(labels.size() == rows, ErrorCode::data, "{} for {}", data::count_of(labels.size(), what),
                data::count_of(rows, "row"));
  for (std::size_t row = 0; row < rows; ++row) {
    base::require(!std::isnan(labels[row]), ErrorCode::data, "the {} of row {} is missing", what, row);
    base::require(std::isfinite(labels[row]), ErrorCode::data, "the {} of row {} is {}, expected a finite number", what,
                  row, labels[row]);
  }
}

void take_names(const data::Schema& schema, DatasetParts& parts) {
  parts.input_names = schema.input_names();
  parts.target_names = schema.target_names();
  parts.task = schema.task;
  parts.classes = schema.classes;
  parts.target_levels = schema.targets.empty() ? std::vector<std::string>() : schema.targets.front().levels;
  parts.input_kinds.clear();
  parts.input_levels.clear();
  for (const data::Column& input : schema.inputs) {
    parts.input_kinds.push_back(input.kind);
    parts.input_levels.push_back(input.levels);
  }
  if (schema.weight) parts.weight_name = schema.weight->name;
  parts.noise_names = data::names_of(schema.noise);
  if (schema.group) parts.group_name = schema.group->name;
  if (schema.time) parts.time_name = schema.time->name;
}

/// NaN stands for a missing value.
void check_values(MatrixView values, std::string_view what) {
  for (std::size_t row = 0; row < values.rows(); ++row) {
    for (std::size_t col = 0; col < values.cols(); ++col) {
      base::require(!std::isinf(values(row, col)), ErrorCode::data,
                    "{}: row {}, column {} is {}, expected a finite number", what, row, col, values(row, col));
    }
  }
}

/// A word is the index of its level; one more stands for words that have none.
void check_words(const DatasetParts& parts) {
  for (std::size_t col = 0; col < parts.input_kinds.size(); ++col) {
    if (parts.input_kinds[col] != ColumnKind::category) continue;
    const std::size_t levels = col < parts.input_levels.size() ? parts.input_levels[col].size() : 0;
    for (std::size_t row = 0; row < parts.inputs.rows(); ++row) {
      const double value = parts.inputs(row, col);
      const bool is_level = value >= 0 && value <= static_cast<double>(levels) && std::floor(value) == value;
      base::require(std::isnan(value) || is_level, ErrorCode::data,
                    "inputs: row {}, column {} is {}, expected the index of one of {} levels", row, col, value, levels);
    }
  }
}

/// A class of words is the index of its level; one more stands for words that have none.
void check_target_words(const DatasetParts& parts) {
  const auto levels = static_cast<double>(parts.target_levels.size());
  for (std::size_t row = 0; row < parts.targets.rows() && levels > 0; ++row) {
    const double value = parts.targets(row, 0);
    base::require(std::isnan(value) || (value >= 0 && value <= levels && std::floor(value) == value), ErrorCode::data,
                  "targets: row {} is {}, expected the index of one of {} levels", row, value, levels);
  }
}

void check(const DatasetParts& parts) {
  const std::size_t rows = parts.inputs.rows();
  base::require(!parts.inputs.empty(), ErrorCode::data, "inputs are {} x {}, expected at least one row and one column",
                rows, parts.inputs.cols());
  base::require(!parts.targets.empty() && parts.targets.rows() == rows, ErrorCode::data,
                "targets are {} x {}, expected {} and at least one column", parts.targets.rows(), parts.targets.cols(),
                data::count_of(rows, "row"));
  check_values(parts.inputs, "inputs");
  check_values(parts.targets, "targets");
  check_words(parts);
  check_target_words(parts);
  check_weights(parts.weights, rows);
  check_noise(parts.noise_std, rows, parts.targets.cols());
  check_labels(parts.groups, rows, "group");
  check_labels(parts.times, rows, "time");
  const std::size_t noise_names = parts.noise_names.size();
  base::require(noise_names <= 1 || noise_names == parts.targets.cols(), ErrorCode::data,
                "{} of noise for {}, expected none, one or one each", data::count_of(noise_names, "name"),
                data::count_of(parts.targets.cols(), "target"));
  if (!parts.input_names.empty()) check_names(parts.input_names, parts.inputs.cols(), "input");
  check_names(parts.target_names, parts.targets.cols(), "target");
  base::require(std::ranges::find(parts.target_names, "") == parts.target_names.end(), ErrorCode::data,
                "a target has an empty name");
}

}  // namespace

Dataset::Dataset() : schema_(std::make_shared<const data::Schema>()) {}

Dataset::Dataset(DatasetParts parts)
    : schema_(std::make_shared<const data::Schema>(data::schema_of(parts))), parts_(std::move(parts)) {
  parts_.target_names = schema_->target_names();
  parts_.task = schema_->task;
  check(parts_);
  if (!schema_->has_counts()) return;
  if (parts_.weights.empty()) parts_.weights.assign(rows(), 1);
  data::counts_to_shares(parts_.targets, parts_.weights, [](std::size_t row, std::size_t column) {
    return fmt::format("targets: row {}, column {}", row, column);
  });
}

Dataset::Dataset(DatasetParts parts, const data::Schema& schema)
    : schema_(std::make_shared<const data::Schema>(schema)), parts_(std::move(parts)) {
  take_names(schema, parts_);
  check(parts_);
  data::check_positions(schema, ErrorCode::data);
}

std::vector<std::string> Dataset::classes() const {
  data::TargetCounts counts;
  if (schema_->is_classification()) counts.add(targets(), weights());
  return data::classes_of_rows(*schema_, counts.rows_of_value()).names();
}

std::vector<std::size_t> Dataset::input_columns() const {
  return data::positions_of(schema_->inputs);
}

std::vector<std::size_t> Dataset::target_columns() const {
  return data::positions_of(schema_->targets);
}

std::size_t Dataset::table_columns() const {
  return schema_->table_columns;
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
  return {DatasetParts{.inputs = data::select_rows(parts_.inputs, rows),
                       .targets = data::select_rows(parts_.targets, rows),
                       .weights = data::select_rows(parts_.weights, rows),
                       .noise_std = data::select_rows(parts_.noise_std, rows),
                       .groups = data::select_rows(parts_.groups, rows),
                       .times = data::select_rows(parts_.times, rows)},
          *schema_};
}

Dataset Dataset::with_targets() const {
  const std::vector<std::size_t> kept = data::rows_with_targets(targets());
  base::require(!kept.empty(), ErrorCode::data, "no row has a target, expected at least one");
  return kept.size() == rows() ? *this : select(kept);
}

std::pair<Dataset, Dataset> Dataset::split(const SplitOptions& options) const {
  base::check_probability(options.test_fraction, "the test fraction");
  base::require(rows() >= 2, ErrorCode::usage, "{} rows cannot be split, expected at least 2", rows());
  const auto wanted = static_cast<std::size_t>(std::llround(options.test_fraction * static_cast<double>(rows())));
  const std::size_t test_count = std::clamp<std::size_t>(wanted, 1, rows() - 1);

  base::RandomStream random({.seed = options.seed, .purpose = base::Purpose::split});
  const std::vector<std::uint32_t> order = base::permutation(rows(), random);
  std::vector<std::size_t> test(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(test_count));
  std::vector<std::size_t> rest(order.begin() + static_cast<std::ptrdiff_t>(test_count), order.end());
  std::ranges::sort(test);
  std::ranges::sort(rest);
  return {select(rest), select(test)};
}

}  // namespace credens
