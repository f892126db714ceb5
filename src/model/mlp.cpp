// SPDX-License-Identifier: Apache-2.0

#include "model/mlp.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace credens::model {

namespace {

void check(const MlpShape& shape) {
  base::require(shape.row_width() > 0, ErrorCode::usage, "a network has 0 inputs, expected at least 1");
  base::require(shape.outputs > 0, ErrorCode::usage, "a network has 0 outputs, expected at least 1");
  for (std::size_t i = 0; i < shape.hidden.size(); ++i) {
    base::require(shape.hidden[i] > 0, ErrorCode::usage, "hidden layer {} has 0 units, expected at least 1", i);
  }
}

/// The learned variances of some rows: shared noise has one per row, per-output noise q, constant noise q in all, known
/// noise none.
std::span<const float> learned_variances(const Mlp& network, const HeadView& view, std::size_t rows,
                                         ForwardBuffers& buffers) {
  const MlpShape& shape = network.shape();
  const std::size_t units = shape.noise_units();
  std::size_t count = rows * units;
  if (shape.noise == NoiseKind::constant) {
    count = shape.outputs;
    std::ranges::copy(network.constant_noise(), buffers.raw_noise.begin());
  }
  for (std::size_t i = 0; i < rows && units > 0; ++i) {
    std::copy_n(view.head + i * view.head_stride + shape.outputs, units, buffers.raw_noise.data() + i * units);
  }
  const std::vector<NoiseRange>& ranges = network.noise_ranges();
  for (std::size_t i = 0; i < count && !ranges.empty(); ++i) {
    const auto [low, high] = ranges[i % units];
    buffers.raw_noise[i] = std::clamp(buffers.raw_noise[i], low, high);
  }
  math::noise_variance(shape.noise_link, static_cast<float>(noise_floor), count, buffers.raw_noise.data(),
                       buffers.noise_variance.data(), buffers.noise_slope.data());
  return std::span<const float>(buffers.noise_variance).first(count);
}

/// `known` [rows x q] is empty where no noise is known.
void fill_variances(const MlpShape& shape, std::span<const float> learned, MatrixView known, std::size_t rows,
                    Matrix& variance) {
  const std::size_t row_step = shape.noise_units();
  const std::size_t output_step = shape.noise == NoiseKind::shared ? 0 : 1;
  variance.resize(rows, shape.outputs);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < shape.outputs; ++k) {
      const double known_part = known.empty() ? 0 : known(i, k);
      variance(i, k) = shape.noise == NoiseKind::known ? std::max(known_part, noise_floor)
                                                       : learned[i * row_step + k * output_step] + known_part;
    }
  }
}

}  // namespace

std::size_t MlpShape::embedded_inputs() const {
  std::size_t width = embedding().width() + flags;
  for (const data::LevelTable& table : tables) width += table.width;
  return width;
}

std::size_t MlpShape::table_values() const {
  std::size_t values = 0;
  for (const data::LevelTable& table : tables) values += table.rows * table.width;
  return values;
}

std::size_t MlpShape::noise_units() const {
  if (has_classes()) return 0;
  if (noise == NoiseKind::shared) return 1;
  return noise == NoiseKind::per_output ? outputs : 0;
}

math::PanelShape MlpShape::layer(std::size_t index) const {
  return {.in = index == 0 ? embedded_inputs() : hidden[index - 1],
          .out = index < hidden.size() ? hidden[index] : head_units()};
}

Mlp::Mlp(MlpShape shape) : shape_(std::move(shape)) {
  check(shape_);
  for (std::size_t i = 0; i < shape_.layers(); ++i) {
    layer_at_.push_back(constant_noise_at_);
    constant_noise_at_ += shape_.layer(i).size();
  }
  frequencies_at_ = constant_noise_at_ + (shape_.has_constant_noise() ? shape_.outputs : 0);
  const std::size_t end = frequencies_at_ + shape_.embedding().waves();
  parameters_.resize(shape_.tables.empty() ? end : math::padded(end) + shape_.table_values());
}

void Mlp::set_substitutes(std::vector<float> values) {
  base::require(values.empty() || values.size() == shape_.inputs, ErrorCode::usage,
                "a network of {} numbers is given {} substitutes", shape_.inputs, values.size());
  substitutes_ = std::move(values);
}

void enter(const Mlp& network, const float* inputs, std::size_t stride, std::size_t rows, float* out,
           std::size_t out_stride) {
  const MlpShape& shape = network.shape();
  const std::size_t numbers = shape.embedding().width();
  if (shape.frequencies > 0 && shape.inputs > 0) {
    math::embed(inputs, stride, rows, network.frequencies().data(), shape.embedding(), out, out_stride);
  } else {
    for (std::size_t i = 0; i < rows; ++i) std::copy_n(inputs + i * stride, numbers, out + i * out_stride);
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const float* from = inputs + i * stride + shape.inputs;
    float* to = std::copy_n(from, shape.flags, out + i * out_stride + numbers);
    from += shape.flags;
    const float* table = network.tables().data();
    for (const data::LevelTable& level : shape.tables) {
      to = std::copy_n(table + static_cast<std::size_t>(*from++) * level.width, level.width, to);
      table += level.rows * level.width;
    }
    std::fill(to, out + i * out_stride + math::padded(shape.embedded_inputs()), 0.0F);
  }
}

void substitute_missing(const Mlp& network, float* inputs, std::size_t stride, std::size_t rows) {
  const std::vector<float>& substitutes = network.substitutes();
  base::require(substitutes.size() == network.shape().inputs, ErrorCode::data,
                "a number is missing, which a model of format version 1 cannot answer: fit it again");
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < substitutes.size(); ++j) {
      float& value = inputs[i * stride + j];
      if (std::isnan(value)) value = substitutes[j];
    }
  }
}

void Mlp::set_noise_ranges(std::vector<NoiseRange> ranges) {
  base::require(ranges.empty() || ranges.size() == shape_.noise_units(), ErrorCode::usage,
                "a network with {} noise units is given {} noise ranges", shape_.noise_units(), ranges.size());
  for (const auto& [low, high] : ranges) {
    base::require(low <= high, ErrorCode::usage, "a noise range goes from {} to {}, expected the lower end first", low,
                  high);
  }
  noise_ranges_ = std::move(ranges);
}

BasicMatrix<float> Mlp::weight(std::size_t layer_index) const {
  const math::PanelShape panel = shape_.layer(layer_index);
  BasicMatrix<float> weight(panel.out, panel.in);
  for (std::size_t out = 0; out < panel.out; ++out) {
    for (std::size_t in = 0; in < panel.in; ++in) weight(out, in) = layer(layer_index)[panel.index(in, out)];
  }
  return weight;
}

std::vector<float> Mlp::bias(std::size_t layer_index) const {
  const math::PanelShape panel = shape_.layer(layer_index);
  std::vector<float> bias(panel.out);
  for (std::size_t out = 0; out < panel.out; ++out) bias[out] = layer(layer_index)[panel.index(panel.in, out)];
  return bias;
}

void Mlp::set_layer(std::size_t layer_index, BasicMatrixView<float> weight, std::span<const float> bias) {
  const math::PanelShape panel = shape_.layer(layer_index);
  base::require(weight.rows() == panel.out && weight.cols() == panel.in && bias.size() == panel.out, ErrorCode::usage,
                "layer {} is given {} x {} weights and {} biases, expected {} x {} and {}", layer_index, weight.rows(),
                weight.cols(), bias.size(), panel.out, panel.in, panel.out);
  for (std::size_t out = 0; out < panel.out; ++out) {
    for (std::size_t in = 0; in < panel.in; ++in) layer(layer_index)[panel.index(in, out)] = weight(out, in);
    layer(layer_index)[panel.index(panel.in, out)] = bias[out];
  }
}

Matrix Mlp::mean_weight() const {
  const BasicMatrix<float> head = weight(shape_.layers() - 1);
  const auto means = head.values().first(shape_.outputs * head.cols());
  return {shape_.outputs, head.cols(), std::vector<double>(means.begin(), means.end())};
}

std::vector<double> Mlp::mean_bias() const {
  const std::vector<float> all = bias(shape_.layers() - 1);
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shape_.outputs)};
}

void ForwardBuffers::reserve(const MlpShape& shape, std::size_t rows_at_once) {
  if (rows_at_once <= rows) return;
  rows = rows_at_once;
  if (!shape.enters_as_is()) embedding.resize(rows * math::padded(shape.embedded_inputs()));
  layers.resize(shape.layers());
  for (std::size_t i = 0; i < shape.layers(); ++i) layers[i].resize(rows * math::padded(shape.layer(i).out));
  const std::size_t raw_values = std::max(rows * shape.noise_units(), shape.outputs);
  for (auto* buffer : {&raw_noise, &noise_variance, &noise_slope}) buffer->resize(raw_values);
}

HeadView forward(const Mlp& network, const float* inputs, std::size_t stride, std::size_t rows, bool has_missing,
                 ForwardBuffers& buffers) {
  const MlpShape& shape = network.shape();
  if (has_missing) {
    buffers.complete.assign(inputs, inputs + rows * stride);
    substitute_missing(network, buffers.complete.data(), stride, rows);
    inputs = buffers.complete.data();
  }
  HeadView view{.features = inputs, .feature_stride = stride};
  if (!shape.enters_as_is()) {
    view = {.features = buffers.embedding.data(), .feature_stride = math::padded(shape.embedded_inputs())};
    enter(network, inputs, stride, rows, buffers.embedding.data(), view.feature_stride);
  }
  for (std::size_t i = 0; i < shape.layers(); ++i) {
    const math::PanelShape panel = shape.layer(i);
    const bool is_head = i + 1 == shape.layers();
    const std::size_t out_stride = math::padded(panel.out);
    math::dense_forward(view.features, view.feature_stride, rows, network.layer(i), panel,
                        is_head ? nullptr : &shape.activation, buffers.layers[i].data(), out_stride, nullptr);
    if (is_head) {
      view.head = buffers.layers[i].data();
      view.head_stride = out_stride;
    } else {
      view.features = buffers.layers[i].data();
      view.feature_stride = out_stride;
    }
  }
  return view;
}

MemberView member_view(const Mlp& network, const float* inputs, std::size_t stride, std::size_t rows, bool has_missing,
                       MatrixView known_variance, ForwardBuffers& buffers) {
  const MlpShape& shape = network.shape();
  const HeadView view = forward(network, inputs, stride, rows, has_missing, buffers);
  if (shape.has_classes()) {
    buffers.variance = Matrix(rows, 1, static_cast<double>(shape.outputs));
  } else {
    fill_variances(shape, learned_variances(network, view, rows, buffers), known_variance, rows, buffers.variance);
  }
  buffers.mean.resize(rows, shape.outputs);
  for (std::size_t i = 0; i < rows; ++i) {
    std::copy_n(view.head + i * view.head_stride, shape.outputs, buffers.mean.row(i).begin());
  }
  return {.features = BasicMatrixView<float>(view.features, rows, shape.features(), view.feature_stride),
          .mean = buffers.mean,
          .variance = buffers.variance};
}

}  // namespace credens::model
