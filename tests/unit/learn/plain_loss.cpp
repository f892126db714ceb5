// SPDX-License-Identifier: Apache-2.0

#include "unit/learn/plain_loss.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace credens::learn {

namespace {

double logistic(double z) {
  return 1 / (1 + std::exp(-z));
}

/// Phi(z) of the standard normal.
double normal_cdf(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

/// phi(z) of the standard normal.
double normal_density(double z) {
  return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
}

double activate(Activation activation, double z) {
  switch (activation) {
    case Activation::relu:
      return std::max(z, 0.0);
    case Activation::tanh:
      return std::tanh(z);
    case Activation::silu:
      return z * logistic(z);
    case Activation::gelu:
      return z * normal_cdf(z);
    case Activation::elu:
      return z > 0 ? z : std::expm1(z);
  }
  return z;
}

double activation_slope(Activation activation, double z) {
  switch (activation) {
    case Activation::relu:
      return z > 0 ? 1 : 0;
    case Activation::tanh:
      return 1 - std::tanh(z) * std::tanh(z);
    case Activation::silu:
      return logistic(z) * (1 + z * (1 - logistic(z)));
    case Activation::gelu:
      return normal_cdf(z) + z * normal_density(z);
    case Activation::elu:
      return z > 0 ? 1 : std::exp(z);
  }
  return 1;
}

constexpr double exp_bound = 30;  // raw values beyond it do not change the variance, but from above they are led back

double learned_variance(NoiseLink link, double raw) {
  if (link == NoiseLink::exp) return std::exp(std::clamp(raw, -exp_bound, exp_bound)) + model::noise_floor;
  return std::max(raw, 0.0) + std::log1p(std::exp(-std::abs(raw))) + model::noise_floor;
}

double learned_variance_slope(NoiseLink link, double raw) {
  if (link == NoiseLink::softplus) return logistic(raw);
  return raw >= -exp_bound ? std::exp(std::min(raw, exp_bound)) : 0;
}

/// The values of all layers for one row: z = W x + b per layer, and x = f(z) that the next layer sees (x of layer 0 is
/// the input, or its embedding).
struct Trace {
  std::vector<std::vector<double>> input;
  std::vector<std::vector<double>> sum;

  const std::vector<double>& head() const { return sum.back(); }
};

std::vector<double> layer_sum(const Matrix& weight, const std::vector<double>& bias, const std::vector<double>& x) {
  std::vector<double> z = bias;
  for (std::size_t out = 0; out < weight.rows(); ++out) {
    for (std::size_t in = 0; in < weight.cols(); ++in) z[out] += weight(out, in) * x[in];
  }
  return z;
}

/// [z_j, then sin(2 pi c_jk z_j), then cos(2 pi c_jk z_j)]; the row itself without frequencies.
std::vector<double> embedded(const Matrix& frequencies, std::span<const double> row) {
  std::vector<double> sines;
  std::vector<double> cosines;
  for (std::size_t j = 0; j < frequencies.rows(); ++j) {
    for (const double frequency : frequencies.row(j)) {
      sines.push_back(std::sin(2 * std::numbers::pi * frequency * row[j]));
      cosines.push_back(std::cos(2 * std::numbers::pi * frequency * row[j]));
    }
  }
  std::vector<double> all(row.begin(), row.end());
  all.insert(all.end(), sines.begin(), sines.end());
  all.insert(all.end(), cosines.begin(), cosines.end());
  return all;
}

Trace forward(const PlainNetwork& network, std::span<const double> row) {
  Trace trace;
  std::vector<double> x = embedded(network.frequencies, row);
  for (std::size_t layer = 0; layer < network.weight.size(); ++layer) {
    std::vector<double> z = layer_sum(network.weight[layer], network.bias[layer], x);
    trace.input.push_back(std::move(x));
    x = z;
    for (double& value : x) value = activate(network.shape.activation, value);
    trace.sum.push_back(std::move(z));
  }
  return trace;
}

/// Column of the raw noise value of output k, behind the q means of the head; meaningless for constant and known
/// noise.
std::size_t raw_column(const model::MlpShape& shape, std::size_t k) {
  return shape.outputs + (shape.noise == NoiseKind::per_output ? k : 0);
}

double raw_noise(const PlainNetwork& network, const Trace& trace, std::size_t k) {
  return network.shape.noise == NoiseKind::constant ? network.constant_noise[k]
                                                    : trace.head()[raw_column(network.shape, k)];
}

double variance(const PlainNetwork& network, const PlainRows& rows, const Trace& trace, std::size_t i, std::size_t k) {
  const double known = rows.known_variance.empty() ? 0 : rows.known_variance(i, k);
  if (network.shape.noise == NoiseKind::known) return std::max(known, model::noise_floor);
  return learned_variance(network.shape.noise_link, raw_noise(network, trace, k)) + known;
}

double row_weight(const PlainRows& rows, std::size_t i) {
  return rows.weights.empty() ? 1 : rows.weights[i];
}

double weight_total(const PlainRows& rows) {
  double total = 0;
  for (std::size_t i = 0; i < rows.inputs.rows(); ++i) total += row_weight(rows, i);
  return total;
}

PlainNetwork zeros_like(PlainNetwork network) {
  for (Matrix& weight : network.weight) std::ranges::fill(weight.values(), 0.0);
  for (auto& bias : network.bias) std::ranges::fill(bias, 0.0);
  std::ranges::fill(network.constant_noise, 0.0);
  std::ranges::fill(network.frequencies.values(), 0.0);
  return network;
}

double class_share(const PlainRows& rows, std::size_t i, std::size_t c) {
  if (rows.targets.cols() > 1) return rows.targets(i, c);
  return rows.targets(i, 0) == static_cast<double>(c) ? 1 : 0;
}

/// softmax(z) of the row's logits z.
std::vector<double> class_probabilities(const Trace& trace) {
  std::vector<double> p = trace.head();
  const double largest = *std::ranges::max_element(p);
  double sum = 0;
  for (double& value : p) sum += value = std::exp(value - largest);
  for (double& value : p) value /= sum;
  return p;
}

/// l_i = -sum_c t_c log softmax_c(z); dl/dz_c = softmax_c(z) - t_c.
double class_loss(const PlainRows& rows, const Trace& trace, std::size_t i) {
  const std::vector<double> p = class_probabilities(trace);
  double loss = 0;
  for (std::size_t c = 0; c < p.size(); ++c) {
    if (class_share(rows, i, c) > 0) loss -= class_share(rows, i, c) * std::log(p[c]);
  }
  return loss;
}

std::vector<double> class_delta(const PlainRows& rows, const Trace& trace, std::size_t i, double scale) {
  std::vector<double> delta = class_probabilities(trace);
  for (std::size_t c = 0; c < delta.size(); ++c) delta[c] = scale * (delta[c] - class_share(rows, i, c));
  return delta;
}

/// d l_i / d head, and d l_i / d constant noise added to `gradient`, both times `scale`:
/// dl/dm = (m - y) / v, dl/dv = (1 / v - (m - y)^2 / v^2) / 2, dl/draw = dl/dv f'(raw).
std::vector<double> head_delta(const PlainNetwork& network, const PlainRows& rows, const Trace& trace, std::size_t i,
                               double scale, PlainNetwork& gradient) {
  const model::MlpShape& shape = network.shape;
  if (shape.has_classes()) return class_delta(rows, trace, i, scale);
  std::vector<double> delta(shape.head_units(), 0.0);
  for (std::size_t k = 0; k < shape.outputs; ++k) {
    const double v = variance(network, rows, trace, i, k);
    const double residual = trace.head()[k] - rows.targets(i, k);
    delta[k] = scale * residual / v;
    if (shape.noise == NoiseKind::known) continue;
    const double slope = learned_variance_slope(shape.noise_link, raw_noise(network, trace, k));
    const double raw_delta = scale * 0.5 * (1 / v - residual * residual / (v * v)) * slope;
    (shape.noise == NoiseKind::constant ? gradient.constant_noise[k] : delta[raw_column(shape, k)]) += raw_delta;
  }
  return delta;
}

/// dl/dx of what a layer sees: W^T delta.
std::vector<double> slope_by_input(const Matrix& weight, const std::vector<double>& delta) {
  std::vector<double> slope(weight.cols(), 0.0);
  for (std::size_t in = 0; in < weight.cols(); ++in) {
    for (std::size_t out = 0; out < weight.rows(); ++out) slope[in] += delta[out] * weight(out, in);
  }
  return slope;
}

/// dl/dz of the layer below, from that of `layer`: W^T delta times f'(z below).
std::vector<double> delta_below(const PlainNetwork& network, const Trace& trace, std::size_t layer,
                                const std::vector<double>& delta) {
  std::vector<double> below = slope_by_input(network.weight[layer], delta);
  for (std::size_t in = 0; in < below.size(); ++in) {
    below[in] *= activation_slope(network.shape.activation, trace.sum[layer - 1][in]);
  }
  return below;
}

/// dl/dc_jk = 2 pi z_j (cos dl/dsin - sin dl/dcos), from u and dl/du.
void add_frequency_gradient(const std::vector<double>& u, const std::vector<double>& du, Matrix& gradient) {
  const std::size_t waves = gradient.values().size();
  for (std::size_t wave = 0; wave < waves; ++wave) {
    const std::size_t j = wave / gradient.cols();
    const std::size_t sine = gradient.rows() + wave;
    const std::size_t cosine = sine + waves;
    gradient.values()[wave] += 2 * std::numbers::pi * u[j] * (u[cosine] * du[sine] - u[sine] * du[cosine]);
  }
}

void add_layer_gradient(const std::vector<double>& delta, const std::vector<double>& input, Matrix& weight,
                        std::vector<double>& bias) {
  for (std::size_t out = 0; out < weight.rows(); ++out) {
    for (std::size_t in = 0; in < weight.cols(); ++in) weight(out, in) += delta[out] * input[in];
    bias[out] += delta[out];
  }
}

void add_row_gradient(const PlainNetwork& network, const PlainRows& rows, std::size_t i, double scale,
                      PlainNetwork& gradient) {
  const Trace trace = forward(network, rows.inputs.row(i));
  std::vector<double> delta = head_delta(network, rows, trace, i, scale, gradient);
  for (std::size_t layer = network.weight.size(); layer-- > 0;) {
    add_layer_gradient(delta, trace.input[layer], gradient.weight[layer], gradient.bias[layer]);
    if (layer > 0) delta = delta_below(network, trace, layer, delta);
  }
  add_frequency_gradient(trace.input[0], slope_by_input(network.weight[0], delta), gradient.frequencies);
}

double squared_norm(const PlainNetwork& network) {
  double sum = 0;
  for (const Matrix& weight : network.weight) {
    for (const double value : weight.values()) sum += value * value;
  }
  for (const auto& bias : network.bias) {
    for (const double value : bias) sum += value * value;
  }
  return sum;
}

void add_prior_gradient(const PlainNetwork& network, double decay, PlainNetwork& gradient) {
  for (std::size_t layer = 0; layer < network.weight.size(); ++layer) {
    const auto weight = network.weight[layer].values();
    for (std::size_t i = 0; i < weight.size(); ++i) gradient.weight[layer].values()[i] += decay * weight[i];
    for (std::size_t i = 0; i < network.bias[layer].size(); ++i) {
      gradient.bias[layer][i] += decay * network.bias[layer][i];
    }
  }
}

}  // namespace

PlainNetwork plain_network(const model::Mlp& network) {
  PlainNetwork plain{.shape = network.shape()};
  for (std::size_t layer = 0; layer < network.shape().layers(); ++layer) {
    const BasicMatrix<float> weight = network.weight(layer);
    const std::vector<float> bias = network.bias(layer);
    plain.weight.emplace_back(weight.rows(), weight.cols(),
                              std::vector<double>(weight.values().begin(), weight.values().end()));
    plain.bias.emplace_back(bias.begin(), bias.end());
  }
  const auto constant_noise = network.constant_noise();
  plain.constant_noise.assign(constant_noise.begin(), constant_noise.end());
  const auto frequencies = network.frequencies();
  if (!frequencies.empty()) {
    plain.frequencies = Matrix(network.shape().inputs, network.shape().frequencies,
                               std::vector<double>(frequencies.begin(), frequencies.end()));
  }
  return plain;
}

double plain_loss(const PlainNetwork& network, const PlainRows& rows, double prior_precision) {
  double sum = 0;
  for (std::size_t i = 0; i < rows.inputs.rows(); ++i) {
    const Trace trace = forward(network, rows.inputs.row(i));
    if (network.shape.has_classes()) {
      sum += row_weight(rows, i) * class_loss(rows, trace, i);
      continue;
    }
    for (std::size_t k = 0; k < network.shape.outputs; ++k) {
      const double v = variance(network, rows, trace, i, k);
      const double residual = trace.head()[k] - rows.targets(i, k);
      sum += row_weight(rows, i) * 0.5 * (residual * residual / v + std::log(v));
    }
  }
  return (sum + prior_precision / 2 * squared_norm(network)) / weight_total(rows);
}

PlainNetwork plain_gradient(const PlainNetwork& network, const PlainRows& rows, double prior_precision) {
  PlainNetwork gradient = zeros_like(network);
  const double total = weight_total(rows);
  for (std::size_t i = 0; i < rows.inputs.rows(); ++i) {
    add_row_gradient(network, rows, i, row_weight(rows, i) / total, gradient);
  }
  add_prior_gradient(network, prior_precision / total, gradient);
  return gradient;
}

}  // namespace credens::learn
