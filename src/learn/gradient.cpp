// SPDX-License-Identifier: Apache-2.0

#include "learn/gradient.hpp"

#include <algorithm>
#include <cmath>

#include "math/kernels.hpp"
#include "math/statistics.hpp"
#include "model/likelihood.hpp"

namespace credens::learn {

GradientPass::GradientPass(const model::MlpShape& shape, std::size_t batch, double loss_beta)
    : input_stride_(math::row_stride(shape.row_width())),
      first_stride_(math::row_stride(shape.embedded_inputs())),
      inputs_(batch * input_stride_),
      embedding_(shape.enters_as_is() ? 0 : batch * first_stride_),
      embedding_delta_(embedding_.size()),
      loss_(make_loss(shape, batch, loss_beta)),
      gradient_(model::Mlp(shape).parameters().size()) {
  std::size_t table_rows = 0;
  for (const data::LevelTable& table : shape.tables) table_rows += table.rows;
  used_rows_.resize(table_rows);
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
  if (!embedding_.empty()) {
    model::enter(network, inputs_.data(), input_stride_, rows, embedding_.data(), first_stride_);
  }
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
                               &network.shape().activation, below.output.data(), below.slope_data(), below.delta.data(),
                               below.stride);
  }
  if (!embedding_.empty()) backward_embedding(network, transposed, rows);
}

void GradientPass::backward_embedding(const model::Mlp& network, const BackwardWeights& transposed, std::size_t rows) {
  const Layer& first = layers_.front();
  math::dense_backward_input(first.delta.data(), first.stride, rows, transposed.layer(0), first.panel, nullptr, nullptr,
                             nullptr, embedding_delta_.data(), first_stride_);
  const math::EmbeddingShape embedding = network.shape().embedding();
  if (embedding.waves() > 0) {
    const std::size_t at = network.prior_size() + network.constant_noise().size();
    math::embed_backward(embedding_.data(), first_stride_, embedding_delta_.data(), first_stride_, rows, embedding,
                         gradient_.data() + at);
  }
  if (!network.shape().tables.empty()) backward_tables(network, rows);
}

/// A row of a table has the sum of what enters in its place, row of the batch after row.
void GradientPass::backward_tables(const model::Mlp& network, std::size_t rows) {
  const model::MlpShape& shape = network.shape();
  const std::span<float> gradient = std::span<float>(gradient_).last(network.tables().size());
  std::ranges::fill(gradient, 0.0F);
  for (std::size_t i = 0; i < rows; ++i) {
    const float* code = inputs_.data() + i * input_stride_ + shape.inputs + shape.flags;
    const float* delta = embedding_delta_.data() + i * first_stride_ + shape.embedding().width() + shape.flags;
    float* table = gradient.data();
    std::size_t first_row = 0;
    for (const auto& [table_rows, width] : shape.tables) {
      const auto row = static_cast<std::size_t>(*code++);
      used_rows_[first_row + row] = true;
      for (std::size_t j = 0; j < width; ++j) table[row * width + j] += delta[j];
      delta += width;
      table += table_rows * width;
      first_row += table_rows;
    }
  }
}

double GradientPass::run(const model::Mlp& network, const BackwardWeights& transposed, const TrainingSet& data,
                         std::span<const std::uint32_t> order) {
  math::gather_rows(data.input_values.data(), data.input_stride, order.data(), order.size(), inputs_.data(),
                    input_stride_);
  if (data.has_missing) model::substitute_missing(network, inputs_.data(), input_stride_, order.size());
  forward(network, order.size());
  Layer& head = layers_.back();
  const auto constant_noise_gradient =
      std::span<float>(gradient_).subspan(network.prior_size(), network.constant_noise().size());
  const double loss =
      loss_->run(network, data, order, head.output.data(), head.stride, head.delta.data(), constant_noise_gradient);
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

double row_loss(const model::MemberView& rows, std::size_t i, std::span<const float> targets, bool has_classes) {
  if (has_classes) return -model::class_log_likelihood(rows.mean.row(i), targets);
  double loss = 0;
  for (std::size_t k = 0; k < rows.mean.cols(); ++k) {
    const double residual = rows.mean(i, k) - targets[k];
    loss += 0.5 * (residual * residual / rows.variance(i, k) + std::log(rows.variance(i, k)));
  }
  return loss;
}

LossSum block_loss(const model::Mlp& network, const TrainingSet& data, std::size_t first, std::size_t end,
                   model::ForwardBuffers& buffers) {
  LossSum sum;
  for (; first < end; first += buffers.rows) {
    const std::size_t count = std::min(buffers.rows, end - first);
    const Matrix known = known_block(data, first, count);
    const model::MemberView rows = model::member_view(network, data.input_values.data() + first * data.input_stride,
                                                      data.input_stride, count, data.has_missing, known, buffers);
    for (std::size_t i = 0; i < count; ++i) {
      const float weight = data.weight(first + i);
      sum.loss += weight * row_loss(rows, i, data.target_row(first + i), network.shape().has_classes());
      sum.weight += weight;
    }
  }
  return sum;
}

}  // namespace

double mean_loss(const model::Mlp& network, const TrainingSet& data) {
  model::ForwardBuffers buffers(network.shape(), std::min(data.rows, model::forward_rows));
  LossSum sum;
  for (std::size_t first = 0; first < data.rows; first += math::statistics_block) {
    sum.add(block_loss(network, data, first, std::min(first + math::statistics_block, data.rows), buffers));
  }
  return sum.mean();
}

void add_loss(const model::Mlp& network, const TrainingSet& data, std::span<const std::uint32_t> rows, LossSum& sum) {
  if (rows.empty()) return;
  model::ForwardBuffers buffers(network.shape(), std::min(rows.size(), model::forward_rows));
  for (std::size_t first = 0; first < rows.size(); first += math::statistics_block) {
    const TrainingSet block = subset(data, rows.subspan(first, std::min(math::statistics_block, rows.size() - first)));
    sum.add(block_loss(network, block, 0, block.rows, buffers));
  }
}

double mean_loss(const model::Mlp& network, const TrainingSet& data, std::span<const std::uint32_t> rows) {
  if (rows.size() == data.rows) return mean_loss(network, data);
  LossSum sum;
  add_loss(network, data, rows, sum);
  return sum.mean();
}

}  // namespace credens::learn
