// SPDX-License-Identifier: Apache-2.0

#include "learn/loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "math/kernels.hpp"
#include "math/softmax_normal.hpp"

namespace credens::learn {

GaussianBatchLoss::GaussianBatchLoss(const model::MlpShape& shape, std::size_t batch, double beta)
    : beta_(static_cast<float>(beta)),
      noise_(shape.noise),
      link_(shape.noise_link),
      outputs_(shape.outputs),
      row_step_(shape.noise_units()),
      output_step_(shape.noise == NoiseKind::shared ? 0 : 1) {
  const std::size_t raw_size = shape.noise == NoiseKind::constant ? shape.outputs : batch * shape.noise_units();
  for (auto* buffer : {&raw_, &learned_, &slope_}) buffer->resize(raw_size);
  raw_delta_.resize(raw_size);
  for (auto* buffer : {&mean_, &target_, &scale_, &loss_, &mean_delta_, &variance_delta_}) {
    buffer->resize(math::padded(batch * outputs_));
  }
  variance_.assign(math::padded(batch * outputs_), 1.0F);
}

void GaussianBatchLoss::find_learned_noise(const model::Mlp& network, const float* head, std::size_t stride,
                                           std::size_t rows) {
  if (noise_ == NoiseKind::constant) {
    std::ranges::copy(network.constant_noise(), raw_.begin());
  } else {
    for (std::size_t i = 0; i < rows; ++i)
      std::copy_n(head + i * stride + outputs_, row_step_, raw_.data() + i * row_step_);
  }
  const std::size_t count = noise_ == NoiseKind::constant ? outputs_ : rows * row_step_;
  math::noise_variance(link_, static_cast<float>(model::noise_floor), count, raw_.data(), learned_.data(),
                       slope_.data());
  std::fill_n(raw_delta_.begin(), count, 0.0);
}

void GaussianBatchLoss::gather_row(const TrainingSet& data, std::size_t row, std::size_t i, float scale,
                                   const float* means) {
  for (std::size_t k = 0; k < outputs_; ++k) {
    const std::size_t at = i * outputs_ + k;
    const float known = data.known(row, k);
    mean_[at] = means[k];
    target_[at] = data.targets[row * outputs_ + k];
    variance_[at] = noise_ == NoiseKind::known ? std::max(known, static_cast<float>(model::noise_floor))
                                               : learned_[raw_at(i, k)] + known;
    scale_[at] = beta_ == 0 ? scale : scale * std::pow(variance_[at], beta_);
  }
}

void GaussianBatchLoss::write_delta(float* delta, std::size_t stride, std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < outputs_; ++k) {
      const std::size_t at = i * outputs_ + k;
      delta[i * stride + k] = mean_delta_[at];
      if (noise_ == NoiseKind::known) continue;
      raw_delta_[raw_at(i, k)] += static_cast<double>(variance_delta_[at]) * slope_[raw_at(i, k)];
    }
  }
}

void GaussianBatchLoss::write_noise_delta(float* delta, std::size_t stride, std::size_t rows,
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

double GaussianBatchLoss::run(const model::Mlp& network, const TrainingSet& data, std::span<const std::uint32_t> order,
                              const float* head, std::size_t stride, float* delta,
                              std::span<float> constant_noise_gradient) {
  const std::size_t rows = order.size();
  const std::size_t count = rows * outputs_;
  find_learned_noise(network, head, stride, rows);
  const float share = 1.0F / static_cast<float>(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    gather_row(data, order[i], i, share * data.weight(order[i]), head + i * stride);
  }
  math::gaussian_loss(count, {.mean = mean_.data(),
                              .target = target_.data(),
                              .variance = variance_.data(),
                              .scale = scale_.data(),
                              .loss = loss_.data(),
                              .mean_slope = mean_delta_.data(),
                              .variance_slope = variance_delta_.data()});
  write_delta(delta, stride, rows);
  write_noise_delta(delta, stride, rows, constant_noise_gradient);
  return std::accumulate(loss_.begin(), loss_.begin() + static_cast<std::ptrdiff_t>(count), 0.0);
}

SoftmaxBatchLoss::SoftmaxBatchLoss(const model::MlpShape& shape, std::size_t batch)
    : classes_(shape.outputs),
      exponentials_(math::padded(batch * shape.outputs)),
      largest_(batch),
      scale_(batch),
      log_sum_(batch),
      match_(batch) {}

/// e^(z_c - m) of all rows; false where a logit is not finite.
bool SoftmaxBatchLoss::find_exponentials(const float* head, std::size_t stride, std::size_t rows) {
  float sum_of_logits = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const float* const z = head + i * stride;
    float largest = z[0];
    float sum = 0;
    for (std::size_t c = 0; c < classes_; ++c) {
      largest = std::max(largest, z[c]);
      sum += z[c];
    }
    sum_of_logits += sum;
    largest_[i] = largest;
    for (std::size_t c = 0; c < classes_; ++c) exponentials_[i * classes_ + c] = z[c] - largest;
  }
  math::exponentials(rows * classes_, exponentials_.data());
  return std::isfinite(sum_of_logits);
}

/// Writes e^(z_c - m) / S - t_c, times the scale of row i, and returns t^T z.
double SoftmaxBatchLoss::write_delta(std::size_t i, std::span<const float> target, const float* logits, float sum,
                                     float* delta) const {
  const float* const exponentials = exponentials_.data() + i * classes_;
  const float scale = scale_[i];
  if (target.size() == 1) {
    const auto label = static_cast<std::size_t>(target[0]);
    for (std::size_t c = 0; c < classes_; ++c) delta[c] = scale * (exponentials[c] / sum);
    delta[label] = scale * (exponentials[label] / sum - 1.0F);
    return static_cast<double>(logits[label]);
  }
  double match = 0;
  for (std::size_t c = 0; c < classes_; ++c) {
    delta[c] = scale * (exponentials[c] / sum - target[c]);
    if (target[c] > 0) match += static_cast<double>(target[c]) * static_cast<double>(logits[c]);
  }
  return match;
}

/// With S = sum_c e^(z_c - m), m = max z: l = m + log S - t^T z, and its derivative by z_c is e^(z_c - m) / S - t_c.
double SoftmaxBatchLoss::run(const model::Mlp&, const TrainingSet& data, std::span<const std::uint32_t> order,
                             const float* head, std::size_t stride, float* delta, std::span<float>) {
  const std::size_t rows = order.size();
  if (!find_exponentials(head, stride, rows)) return std::numeric_limits<double>::quiet_NaN();
  const float share = 1.0F / static_cast<float>(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const float* const exponentials = exponentials_.data() + i * classes_;
    const float sum = std::accumulate(exponentials, exponentials + classes_, 0.0F);
    scale_[i] = share * data.weight(order[i]);
    log_sum_[i] = static_cast<double>(sum);
    match_[i] = write_delta(i, data.target_row(order[i]), head + i * stride, sum, delta + i * stride);
  }
  math::logarithms({log_sum_.data(), rows});
  double total = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    total += static_cast<double>(scale_[i]) * (static_cast<double>(largest_[i]) + log_sum_[i] - match_[i]);
  }
  return total;
}

std::unique_ptr<BatchLoss> make_loss(const model::MlpShape& shape, std::size_t batch, double beta) {
  if (shape.has_classes()) return std::make_unique<SoftmaxBatchLoss>(shape, batch);
  return std::make_unique<GaussianBatchLoss>(shape, batch, beta);
}

}  // namespace credens::learn
