// SPDX-License-Identifier: Apache-2.0

#include "learn/loss.hpp"

#include <algorithm>
#include <cmath>

#include "math/kernels.hpp"

namespace credens::learn {

BatchLoss::BatchLoss(const model::MlpShape& shape, std::size_t batch)
    : noise_(shape.noise),
      link_(shape.noise_link),
      outputs_(shape.outputs),
      row_step_(shape.noise_units()),
      output_step_(shape.noise == NoiseKind::shared ? 0 : 1) {
  const std::size_t size = shape.noise == NoiseKind::constant ? shape.outputs : batch * shape.noise_units();
  raw_.resize(size);
  variance_.resize(size);
  slope_.resize(size);
  raw_delta_.resize(size);
}

void BatchLoss::find_variances(const model::Mlp& network, const float* head, std::size_t stride, std::size_t rows) {
  if (noise_ == NoiseKind::constant) {
    std::ranges::copy(network.constant_noise(), raw_.begin());
  } else {
    for (std::size_t i = 0; i < rows; ++i)
      std::copy_n(head + i * stride + outputs_, row_step_, raw_.data() + i * row_step_);
  }
  const std::size_t count = noise_ == NoiseKind::constant ? outputs_ : rows * row_step_;
  math::noise_variance(link_, static_cast<float>(model::noise_floor), count, raw_.data(), variance_.data(),
                       slope_.data());
  std::fill_n(raw_delta_.begin(), count, 0.0);
}

/// scale l_i. dl/dm = (m - y) / v and dl/dv = (1 - (m - y)^2 / v) / (2 v).
double BatchLoss::add_row(const TrainingSet& data, std::size_t row, std::size_t i, double scale, const float* means,
                          float* delta) {
  double loss = 0;
  for (std::size_t k = 0; k < outputs_; ++k) {
    const double known = data.known(row, k);
    const bool learned = noise_ != NoiseKind::known;
    const double v = learned ? variance_[raw_at(i, k)] + known : std::max(known, model::noise_floor);
    const double residual = static_cast<double>(means[k]) - data.targets[row * outputs_ + k];
    const double square = residual * residual / v;
    loss += 0.5 * scale * (square + std::log(v));
    delta[k] = static_cast<float>(scale * residual / v);
    if (learned) raw_delta_[raw_at(i, k)] += 0.5 * scale * (1 - square) / v * slope_[raw_at(i, k)];
  }
  return loss;
}

void BatchLoss::write_noise_delta(float* delta, std::size_t stride, std::size_t rows,
                                  std::span<float> constant_noise_gradient) const {
  const auto to_float = [](double value) { return static_cast<float>(value); };
  if (noise_ == NoiseKind::constant) {
    std::ranges::transform(raw_delta_, constant_noise_gradient.begin(), to_float);
    return;
  }
  for (std::size_t i = 0; i < rows; ++i) {
    std::transform(raw_delta_.data() + i * row_step_, raw_delta_.data() + (i + 1) * row_step_,
                   delta + i * stride + outputs_, to_float);
  }
}

double BatchLoss::run(const model::Mlp& network, const TrainingSet& data, std::span<const std::uint32_t> order,
                      const float* head, std::size_t stride, float* delta, std::span<float> constant_noise_gradient) {
  const std::size_t rows = order.size();
  find_variances(network, head, stride, rows);
  double loss = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const double scale = static_cast<double>(data.weight(order[i])) / static_cast<double>(rows);
    loss += add_row(data, order[i], i, scale, head + i * stride, delta + i * stride);
  }
  write_noise_delta(delta, stride, rows, constant_noise_gradient);
  return loss;
}

}  // namespace credens::learn
