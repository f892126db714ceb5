// SPDX-License-Identifier: Apache-2.0

#include "model/mlp.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace credens::model {

namespace {

void check(const MlpShape& shape) {
  base::require(shape.inputs > 0, ErrorCode::usage, "a network has 0 inputs, expected at least 1");
  base::require(shape.outputs > 0, ErrorCode::usage, "a network has 0 outputs, expected at least 1");
  for (std::size_t i = 0; i < shape.hidden.size(); ++i) {
    base::require(shape.hidden[i] > 0, ErrorCode::usage, "hidden layer {} has 0 units, expected at least 1", i);
  }
}

/// The raw values of a row's noise: where they lie and how far apart those of neighbouring outputs are.
struct RawNoise {
  const float* values;
  std::size_t step;
};

RawNoise raw_noise(const Mlp& network, const float* head) {
  const MlpShape& shape = network.shape();
  switch (shape.noise) {
    case NoiseKind::shared:
      return {head + shape.outputs, 0};
    case NoiseKind::per_output:
      return {head + shape.outputs, 1};
    case NoiseKind::constant:
      return {network.constant_noise().data(), 1};
    case NoiseKind::known:
      break;
  }
  return {nullptr, 0};
}

/// `known` is empty where no noise is known.
void fill_variance(const Mlp& network, const float* head, std::span<const double> known, std::span<double> variance) {
  const RawNoise raw = raw_noise(network, head);
  for (std::size_t k = 0; k < variance.size(); ++k) {
    const double known_part = known.empty() ? 0 : known[k];
    variance[k] = raw.values == nullptr
                      ? std::max(known_part, noise_floor)
                      : learned_variance(network.shape().noise_link, raw.values[k * raw.step]) + known_part;
  }
}

}  // namespace

std::size_t MlpShape::noise_units() const {
  if (noise == NoiseKind::shared) return 1;
  return noise == NoiseKind::per_output ? outputs : 0;
}

math::PanelShape MlpShape::layer(std::size_t index) const {
  return {.in = index == 0 ? inputs : hidden[index - 1], .out = index < hidden.size() ? hidden[index] : head_units()};
}

Mlp::Mlp(MlpShape shape) : shape_(std::move(shape)) {
  check(shape_);
  for (std::size_t i = 0; i < shape_.layers(); ++i) {
    layer_at_.push_back(constant_noise_at_);
    constant_noise_at_ += shape_.layer(i).size();
  }
  parameters_.resize(constant_noise_at_ + (shape_.noise == NoiseKind::constant ? shape_.outputs : 0));
}

std::span<float> Mlp::constant_noise() {
  return std::span<float>(parameters_).subspan(constant_noise_at_);
}

std::span<const float> Mlp::constant_noise() const {
  return std::span<const float>(parameters_).subspan(constant_noise_at_);
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
  const std::size_t head = shape_.layers() - 1;
  const math::PanelShape panel = shape_.layer(head);
  Matrix weight(shape_.outputs, panel.in);
  for (std::size_t k = 0; k < shape_.outputs; ++k) {
    for (std::size_t j = 0; j < panel.in; ++j) weight(k, j) = layer(head)[panel.index(j, k)];
  }
  return weight;
}

std::vector<double> Mlp::mean_bias() const {
  const std::vector<float> all = bias(shape_.layers() - 1);
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shape_.outputs)};
}

double Mlp::squared_norm() const {
  double sum = 0;
  for (const float value : parameters().first(prior_size())) sum += static_cast<double>(value) * value;
  return sum;
}

ForwardBuffers::ForwardBuffers(const MlpShape& shape, std::size_t rows) : rows_(rows) {
  for (std::size_t i = 0; i < shape.layers(); ++i) activations_.emplace_back(rows * math::padded(shape.layer(i).out));
}

HeadView forward(const Mlp& network, const float* inputs, std::size_t stride, std::size_t rows,
                 ForwardBuffers& buffers) {
  const MlpShape& shape = network.shape();
  HeadView view{.features = inputs, .feature_stride = stride};
  for (std::size_t i = 0; i < shape.layers(); ++i) {
    const math::PanelShape panel = shape.layer(i);
    const bool is_head = i + 1 == shape.layers();
    const std::size_t out_stride = math::padded(panel.out);
    math::dense_forward(view.features, view.feature_stride, rows, network.layer(i), panel,
                        is_head ? nullptr : &shape.activation, buffers.layer(i), out_stride, nullptr);
    if (is_head) {
      view.head = buffers.layer(i);
      view.head_stride = out_stride;
    } else {
      view.features = buffers.layer(i);
      view.feature_stride = out_stride;
    }
  }
  return view;
}

// log(1 + e^r) = max(r, 0) + log(1 + e^-|r|): neither overflows nor loses small values.
double learned_variance(NoiseLink link, double raw) {
  if (link == NoiseLink::exp) return std::exp(std::clamp(raw, -30.0, 30.0)) + noise_floor;
  return std::max(raw, 0.0) + std::log1p(std::exp(-std::abs(raw))) + noise_floor;
}

MemberBlock member_block(const Mlp& network, const float* inputs, std::size_t stride, std::size_t rows,
                         MatrixView known_variance, ForwardBuffers& buffers) {
  const MlpShape& shape = network.shape();
  MemberBlock block{.features = Matrix(rows, shape.features()),
                    .mean = Matrix(rows, shape.outputs),
                    .variance = Matrix(rows, shape.outputs)};
  for (std::size_t first = 0; first < rows; first += buffers.rows()) {
    const std::size_t count = std::min(buffers.rows(), rows - first);
    const HeadView view = forward(network, inputs + first * stride, stride, count, buffers);
    for (std::size_t i = 0; i < count; ++i) {
      const float* head = view.head + i * view.head_stride;
      const std::size_t row = first + i;
      std::copy_n(view.features + i * view.feature_stride, shape.features(), block.features.row(row).data());
      std::copy_n(head, shape.outputs, block.mean.row(row).data());
      fill_variance(network, head, known_variance.empty() ? std::span<const double>{} : known_variance.row(row),
                    block.variance.row(row));
    }
  }
  return block;
}

}  // namespace credens::model
