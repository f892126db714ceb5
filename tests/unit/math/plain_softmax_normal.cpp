// SPDX-License-Identifier: Apache-2.0

#include "plain_softmax_normal.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/random.hpp"

namespace credens::math::plain {

namespace {

/// A discrete distribution in place of sqrt(e) xi.
struct Noise {
  std::vector<double> value;
  std::vector<double> weight;  ///< sum 1
};

/// Trapezoid rule for the normal density; wide enough for E exp(2 sqrt(e) xi), whose integrand is largest at 2 e.
Noise fine_noise(double variance) {
  const double std = std::sqrt(variance);
  const double step = std::min(std / 3, 0.2);
  const auto below = static_cast<int>(9 * std / step);
  const auto above = static_cast<int>((9 * std + 2 * variance) / step);
  Noise noise;
  double sum = 0;
  for (int k = -below; k <= above; ++k) {
    noise.value.push_back(step * k);
    noise.weight.push_back(std::exp(-step * k * step * k / (2 * variance)));
    sum += noise.weight.back();
  }
  for (double& weight : noise.weight) weight /= sum;
  return noise;
}

/// 20 values, 0.6 standard deviations apart.
Noise graph_noise(double variance) {
  Noise noise;
  double sum = 0;
  for (int q = 0; q < 20; ++q) {
    const double x = 0.6 * (q - 9.5);
    noise.value.push_back(x * std::sqrt(variance));
    noise.weight.push_back(std::exp(-0.5 * x * x));
    sum += noise.weight.back();
  }
  for (double& weight : noise.weight) weight /= sum;
  return noise;
}

/// Trapezoid nodes of the integral over t.
struct Steps {
  double first;
  double step;
  std::size_t count;
};

/// Sums over the nodes of t that make the moments: s1, s2 [C] and the integrals of E lse and of E sum_c v_c eps_c.
struct Sums {
  std::vector<double> first;
  std::vector<double> second;
  double log_sum = 0;
  double tilt = 0;
};

constexpr double most_rate = 403.4287934927351;  // e^6: g = exp(-a) has vanished there

/// F = E g, D = E a g, K = E a^2 g, M = E eps a g with a = exp(z - t + eps), g = exp(-a).
struct Factors {
  double f = 0;
  double d = 0;
  double k = 0;
  double m = 0;
};

Factors factors_at(double rate, const Noise& noise, const std::vector<double>& noise_exp) {
  Factors sum;
  for (std::size_t q = 0; q < noise.value.size(); ++q) {
    const double a = std::min(rate * noise_exp[q], most_rate);
    const double g = noise.weight[q] * std::exp(-a);
    sum.f += g;
    sum.d += a * g;
    sum.k += a * a * g;
    sum.m += noise.value[q] * a * g;
  }
  sum.f = std::max(sum.f, 1e-280);
  return sum;
}

Sums integrate(std::span<const double> logits, double m, const Noise& noise, const Steps& steps) {
  const std::size_t classes = logits.size();
  std::vector<double> noise_exp;
  for (const double value : noise.value) noise_exp.push_back(std::exp(value));
  Sums sums{std::vector<double>(classes), std::vector<double>(classes)};
  std::vector<Factors> factors(classes);
  for (std::size_t j = 0; j < steps.count; ++j) {
    const double t = steps.first + steps.step * static_cast<double>(j);
    double log_product = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      factors[c] = factors_at(std::exp(logits[c] - t), noise, noise_exp);
      log_product += std::log(factors[c].f);
    }
    for (std::size_t c = 0; c < classes; ++c) {
      const double others = std::exp(log_product - std::log(factors[c].f));
      sums.first[c] += steps.step * factors[c].d * others;
      sums.second[c] += steps.step * factors[c].k * others;
      sums.tilt += steps.step * factors[c].m * others;
    }
    sums.log_sum += steps.step * (std::exp(-std::min(std::exp(m - t), most_rate)) - std::exp(log_product));
  }
  return sums;
}

/// Moments from sums at logits that were multiplied by `scale`.
SoftmaxMoments moments(std::span<const double> logits, double m, double scale, const Sums& sums) {
  SoftmaxMoments result;
  double total = 0;
  double linear = 0;
  for (std::size_t c = 0; c < logits.size(); ++c) {
    total += sums.first[c];
    linear += (logits[c] - m) * sums.first[c];
  }
  for (std::size_t c = 0; c < logits.size(); ++c) {
    const double probability = sums.first[c] / total;
    result.probability.push_back(probability);
    result.square.push_back(
        std::max(sums.first[c] - scale * (sums.first[c] - sums.second[c]), probability * probability));
  }
  result.log_sum = m + sums.log_sum;
  result.entropy = std::clamp(scale * (sums.log_sum - linear - sums.tilt), 0.0, entropy(result.probability));
  return result;
}

}  // namespace

double SoftmaxMoments::information() const {
  return plain::entropy(probability) - entropy;
}

double entropy(std::span<const double> probability) {
  double sum = 0;
  for (const double p : probability) sum -= p > 0 ? p * std::log(p) : 0;
  return sum;
}

double log_sum_exp(std::span<const double> logits) {
  const double largest = *std::ranges::max_element(logits);
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit - largest);
  return largest + std::log(sum);
}

std::vector<double> softmax(std::span<const double> logits) {
  const double largest = *std::ranges::max_element(logits);
  long double sum = 0;
  for (const double logit : logits) sum += std::exp(static_cast<long double>(logit) - largest);
  std::vector<double> result;
  for (const double logit : logits) {
    result.push_back(static_cast<double>(std::exp(static_cast<long double>(logit) - largest) / sum));
  }
  return result;
}

SoftmaxMoments softmax_normal(std::span<const double> logits, double variance) {
  constexpr double step = 0.125;
  const double m = log_sum_exp(logits);
  const double below = 4 + 6.5 * std::sqrt(variance);
  const double above = 32 + variance;
  const Steps steps{m - below, step, static_cast<std::size_t>((below + above) / step)};
  return moments(logits, m, 1, integrate(logits, m, fine_noise(variance), steps));
}

SoftmaxMoments softmax_rule(std::span<const double> logits, double variance) {
  constexpr double kappa = std::numbers::pi * std::numbers::pi / 6;
  const double scale = variance <= 10 ? 1 : std::sqrt((10 + kappa) / (variance + kappa));
  std::vector<double> scaled(logits.begin(), logits.end());
  for (double& logit : scaled) logit *= scale;
  const double bounded = std::min(variance, 10.0);
  const double step = std::numbers::ln2 / (bounded <= 3 ? 2 : 1);
  const double m = log_sum_exp(scaled);
  const Steps steps{m - 3.2 - 4.2 * std::sqrt(bounded), step, 80};
  return moments(scaled, m, scale, integrate(scaled, m, graph_noise(bounded), steps));
}

SoftmaxSamples softmax_samples(std::span<const double> logits, double variance, std::size_t count, std::uint64_t seed) {
  const std::size_t classes = logits.size();
  base::RandomStream random({.seed = seed});
  // Per class v and v^2, then lse and H(v), and the squares of all these.
  std::vector<double> sum(2 * classes + 2);
  std::vector<double> sum_of_squares(2 * classes + 2);
  std::vector<double> noisy(classes);
  std::vector<double> value(2 * classes + 2);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < classes; ++c) noisy[c] = logits[c] + std::sqrt(variance) * random.normal();
    const double lse = log_sum_exp(noisy);
    double h = lse;
    for (std::size_t c = 0; c < classes; ++c) {
      const double v = std::exp(noisy[c] - lse);
      value[c] = v;
      value[classes + c] = v * v;
      h -= v * noisy[c];
    }
    value[2 * classes] = lse;
    value[2 * classes + 1] = h;
    for (std::size_t k = 0; k < value.size(); ++k) {
      sum[k] += value[k];
      sum_of_squares[k] += value[k] * value[k];
    }
  }
  const auto n = static_cast<double>(count);
  std::vector<double> mean(value.size());
  std::vector<double> error(value.size());
  for (std::size_t k = 0; k < value.size(); ++k) {
    mean[k] = sum[k] / n;
    error[k] = std::sqrt(std::max(sum_of_squares[k] / n - mean[k] * mean[k], 0.0) / n);
  }
  const auto as_moments = [&](const std::vector<double>& from) {
    const auto middle = from.begin() + static_cast<std::ptrdiff_t>(classes);
    const auto end = middle + static_cast<std::ptrdiff_t>(classes);
    return SoftmaxMoments{{from.begin(), middle}, {middle, end}, from[2 * classes], from[2 * classes + 1]};
  };
  return {as_moments(mean), as_moments(error)};
}

double sigmoid_normal(double difference, double variance) {
  const double std = std::sqrt(2 * variance);
  const double step = std::min(0.05, 0.5 / std);
  double sum = 0;
  double weights = 0;
  for (double x = -12; x <= 12; x += step) {
    const double weight = std::exp(-0.5 * x * x);
    sum += weight / (1 + std::exp(-difference - std * x));
    weights += weight;
  }
  return sum / weights;
}

}  // namespace credens::math::plain
