// SPDX-License-Identifier: Apache-2.0
//
// Slow oracles for softmax_normal.hpp in plain loops: fine integrals, random samples, and the rule that exported graphs
// contain.
//
// Letters: C classes, z logits, e variance of their noise, v = softmax(z + sqrt(e) xi), xi standard normal.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace credens::math::plain {

struct SoftmaxMoments {
  std::vector<double> probability;  ///< E v [C]
  std::vector<double> square;       ///< E v^2 [C]
  double log_sum = 0;               ///< E log sum_c exp(z_c + sqrt(e) xi_c)
  double entropy = 0;               ///< E H(v)

  double information() const;  ///< H(E v) - E H(v)
};

double entropy(std::span<const double> probability);
double log_sum_exp(std::span<const double> logits);
std::vector<double> softmax(std::span<const double> logits);

/// The Gumbel-max integral with fine steps: exact to 1e-12 for 0 < e <= 100.
SoftmaxMoments softmax_normal(std::span<const double> logits, double variance);

/// The rule of exported graphs (store/onnx_softmax.cpp), for e > 0.001.
SoftmaxMoments softmax_rule(std::span<const double> logits, double variance);

/// Means over `count` random draws and the standard errors of these means.
struct SoftmaxSamples {
  SoftmaxMoments mean;
  SoftmaxMoments standard_error;
};
SoftmaxSamples softmax_samples(std::span<const double> logits, double variance, std::size_t count, std::uint64_t seed);

/// E sigma(d + sqrt(2 e) xi): the probability of the first of two classes whose logits differ by d.
double sigmoid_normal(double difference, double variance);

}  // namespace credens::math::plain
