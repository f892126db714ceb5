// SPDX-License-Identifier: Apache-2.0

#include "learn/training_set.hpp"

#include <algorithm>
#include <numeric>

#include "base/check.hpp"
#include "data/heavy_tails.hpp"
#include "math/kernels.hpp"

namespace credens::learn {

namespace {

/// Nothing can announce the rows of a file that somebody writes to.
void check_count(bool is_as_announced) {
  base::require(is_as_announced, ErrorCode::data, "the number of rows changed while they were read");
}

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
  const std::vector<std::string> labels = data::input_labels(train.layout());
  const data::ColumnMoments& moments = train.summary().inputs;
  return bend_heavy_tails ? data::bending_scaler(train.source(), moments, labels) : moments.scaler(labels);
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

TrainingSetMaker::TrainingSetMaker(std::size_t rows, const data::RowSource& source, const Scaling& scaling)
    : scaling_(scaling),
      input_labels_(data::input_labels(source.layout())),
      target_labels_(data::target_labels(source.layout())),
      set_{.rows = rows, .inputs = scaling.inputs.cols(), .outputs = scaling.targets.cols()} {
  set_.input_stride = math::padded(set_.inputs);
  set_.input_values.resize(rows * set_.input_stride);
  set_.targets.resize(rows * set_.outputs);
  if (source.layout().noise_std.cols() > 0) set_.known_variance.reserve(rows * set_.outputs);
  if (source.has_weights()) weights_.reserve(rows);
}

void TrainingSetMaker::add(const data::RowBlock& block, std::size_t row) {
  check_count(filled_ < set_.rows);
  const std::size_t place = block.first_row + row;
  data::scale_rows(scaling_.inputs, block.inputs.row_block(row, 1),
                   set_.input_values.data() + filled_ * set_.input_stride, set_.input_stride, place, input_labels_);
  data::scale_rows(scaling_.targets, block.targets.row_block(row, 1), set_.targets.data() + filled_ * set_.outputs,
                   set_.outputs, place, target_labels_);
  if (!block.weights.empty()) weights_.push_back(block.weights[row]);
  for (std::size_t k = 0; k < block.noise_std.cols(); ++k) {
    set_.known_variance.push_back(known_variance(block.noise_std(row, k), scaling_.targets.scale[k]));
  }
  ++filled_;
}

TrainingSet TrainingSetMaker::finish() && {
  check_count(filled_ == set_.rows);
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
