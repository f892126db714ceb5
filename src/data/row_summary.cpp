// SPDX-License-Identifier: Apache-2.0

#include "data/row_summary.hpp"

#include <algorithm>
#include <cmath>

#include "data/fingerprint.hpp"
#include "data/table.hpp"

namespace credens::data {

namespace {

std::size_t most_rows(std::size_t cols) {
  constexpr std::size_t most_values = std::size_t{1} << 24;
  return std::clamp<std::size_t>(most_values / std::max<std::size_t>(cols, 1) / 2 * 2, 1'000, 10'000);
}

/// Linear interpolation between the values, of which there is at least one and which are sorted.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double part = place - static_cast<double>(below);
  const double above = sorted[std::min(below + 1, sorted.size() - 1)];
  return (1 - part) * sorted[below] + part * above;
}

/// The column's values in rows whose weight is not 0, ascending.
std::vector<double> sorted_column(const Matrix& rows, std::span<const double> weights, std::size_t col) {
  std::vector<double> values;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    if (weights[row] > 0) values.push_back(rows(row, col));
  }
  std::ranges::sort(values);
  return values;
}

/// Width of a column that has half of its rows at its centre. A sample may miss the few that are elsewhere; then the
/// farthest of all rows tells.
double width_off_centre(const std::vector<double>& values, double centre, double farthest) {
  std::vector<double> distances;
  for (const double value : values) {
    if (value != centre) distances.push_back(std::abs(value - centre));
  }
  std::ranges::sort(distances);
  return distances.empty() ? farthest : quantile(distances, 0.5);
}

/// Moments of the heavy columns after their transform.
ColumnMoments transformed_moments(const Matrix& rows, std::span<const double> weights, const Scaler& transform,
                                  const std::vector<std::size_t>& heavy) {
  ColumnMoments moments(heavy.size());
  Matrix block;
  for (std::size_t first = 0; first < rows.rows(); first += math::statistics_block) {
    block.resize(std::min(math::statistics_block, rows.rows() - first), heavy.size());
    for (std::size_t row = 0; row < block.rows(); ++row) {
      for (std::size_t i = 0; i < heavy.size(); ++i) {
        block(row, i) = transform.transformed(heavy[i], rows(first + row, heavy[i]));
      }
    }
    moments.add(block, weights.subspan(first, block.rows()));
  }
  return moments;
}

/// Distance from the mean, in standard deviations, beyond which a value makes its column heavy-tailed. No value of n
/// rows lies further than sqrt(n - 1), so with 20 rows or a few more nine tenths of that are enough.
double heavy_tail(std::size_t rows) {
  constexpr double distance = 6;
  constexpr std::size_t enough_rows = 20;  // fewer are far from their mean too easily
  return rows < enough_rows ? distance : std::min(distance, 0.9 * std::sqrt(static_cast<double>(rows - 1)));
}

}  // namespace

RowSample::RowSample(std::size_t cols)
    : cols_(cols), most_(most_rows(cols)), random_({.seed = 0, .purpose = base::Purpose::row_sample}) {}

void RowSample::add(MatrixView rows, std::span<const double> weights) {
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    Drawn drawn{.number = random_.word(), .row = seen_++, .weight = weights.empty() ? 1 : weights[row]};
    if (drawn_.size() == most_) {
      if (!(drawn < drawn_.front())) continue;
      std::pop_heap(drawn_.begin(), drawn_.end());
      drawn.values = std::move(drawn_.back().values);  // for its memory
      drawn_.pop_back();
    }
    drawn.values.assign(rows.row(row).begin(), rows.row(row).end());
    drawn_.push_back(std::move(drawn));
    std::push_heap(drawn_.begin(), drawn_.end());
  }
}

std::vector<const RowSample::Drawn*> RowSample::in_order() const {
  std::vector<const Drawn*> ordered;
  for (const Drawn& drawn : drawn_) ordered.push_back(&drawn);
  std::ranges::sort(ordered, {}, &Drawn::row);
  return ordered;
}

Matrix RowSample::values() const {
  Matrix values(drawn_.size(), cols_);
  std::size_t row = 0;
  for (const Drawn* drawn : in_order()) std::ranges::copy(drawn->values, values.row(row++).begin());
  return values;
}

std::vector<double> RowSample::weights() const {
  std::vector<double> weights;
  for (const Drawn* drawn : in_order()) weights.push_back(drawn->weight);
  return weights;
}

RowSummary summarise(RowSource& source, bool with_sample) {
  const Schema& schema = source.schema();
  RowSummary summary{.rows = source.count_rows(),
                     .weight_total = 0,
                     .fingerprint = {},
                     .digest = {},
                     .sketch = {},
                     .inputs = ColumnMoments(schema.inputs.size()),
                     .targets = ColumnMoments(schema.targets.size()),
                     .sample = RowSample(schema.inputs.size())};
  RowFingerprint fingerprint(schema, summary.rows);
  RowDigest digest;
  source.rewind();
  for (RowBlock block; source.next(block);) {
    digest.add(block);
    summary.sketch.add(block);
    summary.inputs.add(block.inputs, block.weights);
    summary.targets.add(block.targets, block.weights);
    if (with_sample) summary.sample.add(block.inputs, block.weights);
    fingerprint.add(block);
    for (const double weight : block.weights) summary.weight_total += weight;
  }
  if (!schema.weight) summary.weight_total = static_cast<double>(summary.rows);
  summary.fingerprint = fingerprint.digits();
  summary.digest = digest.digits();
  source.rewind();
  return summary;
}

Scaler asinh_scaler(const RowSample& sample, const ColumnMoments& moments, std::span<const std::string> labels) {
  constexpr double normal_range = 1.349;  // interquartile range of the standard normal
  const std::vector<std::size_t> heavy = moments.columns_with_outliers(heavy_tail(moments.rows()));
  if (heavy.empty()) return moments.scaler(labels);
  const Matrix rows = sample.values();
  const std::vector<double> weights = sample.weights();
  Scaler transform;
  transform.centre.resize(rows.cols());
  transform.width.resize(rows.cols());
  for (const std::size_t col : heavy) {
    const std::vector<double> values = sorted_column(rows, weights, col);
    const double centre = quantile(values, 0.5);
    const double width = (quantile(values, 0.75) - quantile(values, 0.25)) / normal_range;
    transform.centre[col] = centre;
    transform.width[col] = width > 0 ? width : width_off_centre(values, centre, moments.farthest_from(col, centre));
  }
  std::vector<std::string> heavy_labels;
  for (const std::size_t col : heavy) heavy_labels.push_back(label_of(col, labels));
  const Scaler transformed = transformed_moments(rows, weights, transform, heavy).scaler(heavy_labels);
  Scaler scaler = moments.scaler(labels, heavy);
  for (std::size_t i = 0; i < heavy.size(); ++i) {
    scaler.shift[heavy[i]] = transformed.shift[i];
    scaler.scale[heavy[i]] = transformed.scale[i];
  }
  scaler.centre = std::move(transform.centre);
  scaler.width = std::move(transform.width);
  return scaler;
}

}  // namespace credens::data
