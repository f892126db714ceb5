// SPDX-License-Identifier: Apache-2.0

#include "learn/training_set.hpp"

#include <algorithm>
#include <numeric>

#include "base/check.hpp"
#include "math/kernels.hpp"

namespace credens::learn {

void check_row_count(bool is_as_announced) {
  base::require(is_as_announced, ErrorCode::data, "the number of rows changed while they were read");
}

namespace {

/// u_i N / U.
std::vector<float> normalised_weights(std::span<const double> weights, double total) {
  std::vector<float> normalised(weights.size());
  const double mean = total / static_cast<double>(weights.size());
  std::ranges::transform(weights, normalised.begin(), [mean](double u) { return static_cast<float>(u / mean); });
  return normalised;
}

/// (noise_std / scale)^2; beyond float's range the row says nothing anyway.
float known_variance(double noise_std, double scale) {
  const double std = noise_std / scale;
  return static_cast<float>(std::min(std * std, 1e30));
}

}  // namespace

namespace {

data::Scaler input_scaler(const TrainingRows& train, bool standardise, bool bend_heavy_tails) {
  if (!standardise) return data::identity_scaler(train.inputs());
  if (bend_heavy_tails) return train.bent_inputs();
  return train.summary().inputs.scaler(data::input_labels(train.layout()));
}

}  // namespace

Scaling make_scaling(const TrainingRows& train, bool standardise_inputs, bool bend_heavy_tails) {
  const data::RowSummary& summary = train.summary();
  return {.inputs = input_scaler(train, standardise_inputs, bend_heavy_tails),
          .targets = summary.targets.scaler(data::target_labels(train.layout()))};
}

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
      input_labels_(data::input_labels(source.layout())),
      target_labels_(data::target_labels(source.layout())),
      has_weights_(source.has_weights()),
      has_noise_(source.layout().noise_std.cols() > 0),
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

TrainingSetMaker::TrainingSetMaker(std::size_t rows, const data::RowSource& source, const Scaling& scaling)
    : scaler_(source, scaling, 1), set_(scaler_.set_of(rows)) {
  if (source.has_weights()) weights_.reserve(rows);
}

void TrainingSetMaker::add(const data::RowBlock& block, std::size_t row) {
  check_row_count(filled_ < set_.rows);
  scaler_.write(block, row, 1, set_, filled_++);
  if (!block.weights.empty()) weights_.push_back(block.weights[row]);
}

TrainingSet TrainingSetMaker::finish() && {
  check_row_count(filled_ == set_.rows);
  set_.weight_total =
      weights_.empty() ? static_cast<double>(set_.rows) : std::accumulate(weights_.begin(), weights_.end(), 0.0);
  if (!weights_.empty()) set_.weights = normalised_weights(weights_, set_.weight_total);
  return std::move(set_);
}

TrainingSet make_training_set(const Dataset& data, const data::Scaler& inputs, const data::Scaler& targets) {
  const Scaling scaling{.inputs = inputs, .targets = targets};
  const auto source = data::rows_of(data);
  TrainingSetMaker maker(data.rows(), *source, scaling);
  for (data::RowBlock block; source->next(block);) {
    for (std::size_t row = 0; row < block.rows(); ++row) maker.add(block, row);
  }
  return std::move(maker).finish();
}

}  // namespace credens::learn
