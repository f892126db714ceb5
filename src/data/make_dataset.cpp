// SPDX-License-Identifier: Apache-2.0

#include "data/make_dataset.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.hpp"

namespace credens::data {

namespace {

/// Complains of the earliest row, whichever part its column plays.
void check_usable(const Table& table, const ColumnRoles& columns) {
  std::vector<std::size_t> used;
  for (const auto* part : {&columns.targets, &columns.inputs, &columns.weight, &columns.noise}) {
    used.insert(used.end(), part->begin(), part->end());
  }
  std::sort(used.begin(), used.end());
  data::check_usable(table, used);
}

std::vector<double> weights_at(const Table& table, std::size_t column) {
  std::vector<double> weights(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    weights[row] = table.values(row, column);
    if (weights[row] >= 0) continue;
    base::fail(ErrorCode::data, "{}: the weight is {}, expected a number that is not negative",
               place_of(table, row, column), weights[row]);
  }
  return weights;
}

/// [N x q]; one column serves all targets.
Matrix noise_at(const Table& table, std::span<const std::size_t> columns, std::size_t targets) {
  Matrix noise(table.rows(), targets);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::size_t k = 0; k < targets; ++k) {
      const std::size_t column = columns[columns.size() == 1 ? 0 : k];
      const double value = table.values(row, column);
      noise(row, k) = value;
      if (value > 0 && std::isnormal(value * value)) continue;
      base::fail(ErrorCode::data, "{}: the noise is {}, {}", place_of(table, row, column), value,
                 value > 0 ? "whose square is no usable variance" : "expected a number above 0");
    }
  }
  return noise;
}

}  // namespace

void take_rows(const Table& table, const ColumnRoles& columns, DatasetParts& parts) {
  check_usable(table, columns);
  take_columns(table, columns.inputs, parts.inputs);
  take_columns(table, columns.targets, parts.targets);
  if (!columns.weight.empty()) parts.weights = weights_at(table, columns.weight.front());
  if (!columns.noise.empty()) parts.noise_std = noise_at(table, columns.noise, columns.targets.size());
}

void check_weight_total(double total, const std::string& source) {
  base::require(total > 0, ErrorCode::data, "{}: all weights are 0, expected at least one above 0", source);
  base::require(std::isfinite(total), ErrorCode::data, "{}: the sum of the weights is beyond the largest double",
                source);
}

Dataset make_dataset(const Table& table, const DatasetOptions& options) {
  const ColumnRoles columns = assign_columns(table, options);
  DatasetParts parts = layout_of(table, columns);
  take_rows(table, columns, parts);
  if (!columns.weight.empty()) {
    check_weight_total(std::accumulate(parts.weights.begin(), parts.weights.end(), 0.0), table.source);
  }
  return Dataset(std::move(parts));
}

}  // namespace credens::data
