// SPDX-License-Identifier: Apache-2.0

#include "learn/training_set.hpp"

#include <algorithm>
#include <numeric>

#include "base/check.hpp"
#include "math/kernels.hpp"

namespace credens::learn {

namespace {

/// (noise_std / scale)^2; beyond float's range the row says nothing anyway.
float known_variance(double noise_std, double scale) {
  const double std = noise_std / scale;
  return static_cast<float>(std::min(std * std, 1e30));
}

}  // namespace

TrainingSet subset(const TrainingSet& data, std::span<const std::uint32_t> rows) {
  TrainingSet part{.rows = rows.size(), .inputs = data.inputs, .outputs = data.outputs};
  part.input_stride = data.input_stride;
  part.input_values.resize(part.rows * part.input_stride);
  math::gather_rows(data.input_values.data(), data.input_stride, rows.data(), rows.size(), part.input_values.data(),
                    part.input_stride);
  for (const std::uint32_t row : rows) {
    for (std::size_t k = 0; k < data.outputs; ++k) {
      part.targets.push_back(data.targets[row * data.outputs + k]);
      if (!data.known_variance.empty()) part.known_variance.push_back(data.known(row, k));
    }
    if (!data.weights.empty()) part.weights.push_back(data.weight(row));
    part.weight_total += data.weight(row);
  }
  return part;
}

RowScaler::RowScaler(const data::RowSource& source, Scaling scaling, double mean_weight)
    : scaling_(std::move(scaling)),
      input_labels_(data::labels_of(source.schema().inputs)),
      target_labels_(data::labels_of(source.schema().targets)),
      has_weights_(source.schema().weight.has_value()),
      has_noise_(source.schema().has_noise),
      mean_weight_(mean_weight) {}

TrainingSet RowScaler::set_of(std::size_t rows) const {
  TrainingSet set{.rows = rows, .inputs = scaling_.inputs.cols(), .outputs = scaling_.targets.cols()};
  set.input_stride = math::padded(set.inputs);
  set.input_values.resize(rows * set.input_stride);
  set.targets.resize(rows * set.outputs);
  set.weights.resize(has_weights_ ? rows : 0);
  set.known_variance.resize(has_noise_ ? rows * set.outputs : 0);
  return set;
}

void RowScaler::write(const data::RowBlock& block, std::size_t first, std::size_t count, TrainingSet& set,
                      std::size_t at) const {
  const std::size_t place = block.first_row + first;
  data::scale_rows(scaling_.inputs, block.inputs.row_block(first, count),
                   set.input_values.data() + at * set.input_stride, set.input_stride, place, input_labels_);
  data::scale_rows(scaling_.targets, block.targets.row_block(first, count), set.targets.data() + at * set.outputs,
                   set.outputs, place, target_labels_);
  for (std::size_t i = 0; i < count && has_weights_; ++i) {
    set.weights[at + i] = static_cast<float>(block.weights[first + i] / mean_weight_);
  }
  for (std::size_t i = 0; i < count && has_noise_; ++i) {
    for (std::size_t k = 0; k < set.outputs; ++k) {
      set.known_variance[(at + i) * set.outputs + k] =
          known_variance(block.noise_std(first + i, k), scaling_.targets.scale[k]);
    }
  }
}

void set_weights(TrainingSet& set, std::span<const double> given) {
  set.weight_total = given.empty() ? static_cast<double>(set.rows) : std::accumulate(given.begin(), given.end(), 0.0);
  const double mean = set.weight_total / static_cast<double>(set.rows);
  set.weights.resize(given.size());
  std::ranges::transform(given, set.weights.begin(), [mean](double u) { return static_cast<float>(u / mean); });
}

TrainingSet make_training_set(const Dataset& data, const Scaling& scaling) {
  const auto source = data::rows_of(data);
  const RowScaler scaler(*source, scaling, 1);
  TrainingSet set = scaler.set_of(data.rows());
  for (data::RowBlock block; source->next(block);) scaler.write(block, 0, block.rows(), set, block.first_row);
  set_weights(set, data.weights());
  return set;
}

}  // namespace credens::learn
