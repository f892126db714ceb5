// SPDX-License-Identifier: Apache-2.0

#include "learn/gradient.hpp"

#include <algorithm>
#include <cmath>

#include "math/kernels.hpp"
#include "math/statistics.hpp"

namespace credens::learn {

GradientPass::GradientPass(const model::MlpShape& shape, std::size_t batch)
    : input_stride_(math::row_stride(shape.inputs)),
      inputs_(batch * input_stride_),
      loss_(shape, batch),
      gradient_(model::Mlp(shape).parameters().size()) {
  for (std::size_t i = 0; i < shape.layers(); ++i) {
    const math::PanelShape panel = shape.layer(i);
    const std::size_t stride = math::row_stride(panel.out);
    const bool has_slope = i + 1 < shape.layers() && math::needs_slope(shape.activation);
    layers_.push_back({.panel = panel,
                       .stride = stride,
                       .output = base::AlignedVector<float>(batch * stride),
                       .slope = base::AlignedVector<float>(has_slope ? batch * stride : 0),
                       .delta = base::AlignedVector<float>(batch * stride)});
  }
}

void GradientPass::forward(const model::Mlp& network, std::size_t rows) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    Layer& layer = layers_[i];
    const bool is_head = i + 1 == layers_.size();
    math::dense_forward(input_of(i), input_stride_of(i), rows, network.layer(i), layer.panel,
                        is_head ? nullptr : &network.shape().activation, layer.output.data(), layer.stride,
                        layer.slope_data());
  }
}

void GradientPass::backward(const model::Mlp& network, const BackwardWeights& transposed, std::size_t rows) {
  for (std::size_t i = layers_.size(); i-- > 0;) {
    Layer& layer = layers_[i];
    math::dense_backward_weights(input_of(i), input_stride_of(i), layer.delta.data(), layer.stride, rows, layer.panel,
                                 gradient_.data() + network.layer_offset(i));
    if (i == 0) continue;
    Layer& below = layers_[i - 1];
    math::dense_backward_input(layer.delta.data(), layer.stride, rows, transposed.layer(i), layer.panel,
                               network.shape().activation, below.output.data(), below.slope_data(), below.delta.data(),
                               below.stride);
  }
}

double GradientPass::run(const model::Mlp& network, const BackwardWeights& transposed, const TrainingSet& data,
                         std::span<const std::uint32_t> order) {
  math::gather_rows(data.input_values.data(), data.input_stride, order.data(), order.size(), inputs_.data(),
                    input_stride_);
  forward(network, order.size());
  Layer& head = layers_.back();
  const auto constant_noise_gradient = std::span<float>(gradient_).subspan(network.prior_size());
  const double loss =
      loss_.run(network, data, order, head.output.data(), head.stride, head.delta.data(), constant_noise_gradient);
  backward(network, transposed, order.size());
  return loss;
}

namespace {

/// Known variances of rows [first, first + count) in double; empty where there are none.
Matrix known_block(const TrainingSet& data, std::size_t first, std::size_t count) {
  if (data.known_variance.empty()) return {};
  const float* values = data.known_variance.data() + first * data.outputs;
  return {count, data.outputs, std::vector<double>(values, values + count * data.outputs)};
}

/// sum_i u_i l_i over the rows of a block.
double block_loss(const model::MemberBlock& block, const TrainingSet& data, std::size_t first) {
  double sum = 0;
  for (std::size_t i = 0; i < block.mean.rows(); ++i) {
    double row_loss = 0;
    for (std::size_t k = 0; k < data.outputs; ++k) {
      const double residual = block.mean(i, k) - data.targets[(first + i) * data.outputs + k];
      row_loss += 0.5 * (residual * residual / block.variance(i, k) + std::log(block.variance(i, k)));
    }
    sum += data.weight(first + i) * row_loss;
  }
  return sum;
}

}  // namespace

double mean_loss(const model::Mlp& network, const TrainingSet& data) {
  model::ForwardBuffers buffers(network.shape(), std::min(data.rows, model::forward_rows));
  double sum = 0;
  double weights = 0;
  for (std::size_t first = 0; first < data.rows; first += math::statistics_block) {
    const std::size_t count = std::min(math::statistics_block, data.rows - first);
    const model::MemberBlock block =
        model::member_block(network, data.input_values.data() + first * data.input_stride, data.input_stride, count,
                            known_block(data, first, count), buffers);
    sum += block_loss(block, data, first);
    for (std::size_t i = 0; i < count; ++i) weights += data.weight(first + i);
  }
  return sum / weights;
}

}  // namespace credens::learn
