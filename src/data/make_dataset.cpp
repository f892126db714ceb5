// SPDX-License-Identifier: Apache-2.0

#include "data/make_dataset.hpp"

#include <algorithm>
#include <numeric>

#include "data/row_checks.hpp"

namespace credens::data {

namespace {

/// Complains of the earliest row, whichever part its column plays.
void check_cells(const Table& table, const Schema& schema) {
  std::vector<std::size_t> used;
  for (const auto* part : {&schema.targets, &schema.inputs, &schema.noise}) {
    for (const Column& column : *part) {
      if (column.position) used.push_back(*column.position);
    }
  }
  if (schema.weight) used.push_back(*schema.weight->position);
  std::sort(used.begin(), used.end());
  check_usable(table, used);
}

void take_weights(const Table& table, std::size_t column, std::vector<double>& weights) {
  weights.resize(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) weights[row] = table.values(row, column);
  check_weights(weights, [&](std::size_t row) { return place_of(table, row, column) + ": the weight"; });
}

/// [N x q]; one column serves all targets.
void take_noise(const Table& table, const Schema& schema, std::span<const double> target_scale, Matrix& noise) {
  const auto column_of = [&](std::size_t k) { return *schema.noise[schema.noise.size() == 1 ? 0 : k].position; };
  noise.resize(table.rows(), schema.targets.size());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::size_t k = 0; k < noise.cols(); ++k) noise(row, k) = table.values(row, column_of(k));
  }
  check_noise(noise, target_scale,
              [&](std::size_t row, std::size_t k) { return place_of(table, row, column_of(k)) + ": the noise"; });
}

}  // namespace

void take_rows(const Table& table, const Schema& schema, std::span<const double> target_scale, DatasetParts& parts) {
  check_cells(table, schema);
  take_columns(table, positions_of(schema.inputs), parts.inputs);
  take_columns(table, positions_of(schema.targets), parts.targets);
  if (schema.weight) take_weights(table, *schema.weight->position, parts.weights);
  if (schema.has_noise) take_noise(table, schema, target_scale, parts.noise_std);
}

Dataset make_dataset(const Table& table, const DatasetOptions& options) {
  const Schema schema = make_schema(table, options);
  DatasetParts parts;
  take_rows(table, schema, {}, parts);
  if (schema.weight) {
    check_weight_total(std::accumulate(parts.weights.begin(), parts.weights.end(), 0.0), table.source);
  }
  return {std::move(parts), schema};
}

}  // namespace credens::data
