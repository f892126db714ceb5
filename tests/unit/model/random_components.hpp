// SPDX-License-Identifier: Apache-2.0
//
// Random predictive distributions, and their moments as plain loops.

#pragma once

#include <credens/predictive.hpp>

#include <cmath>
#include <numbers>
#include <vector>

#include "base/random.hpp"

namespace credens::model {

struct ComponentsShape {
  std::size_t rows = 4;
  std::size_t outputs = 2;
  std::vector<double> weights = {0.5, 0.2, 0.3};
  std::uint64_t seed = 1;
};

inline MixtureComponents random_components(const ComponentsShape& shape) {
  base::RandomStream random({.seed = shape.seed, .purpose = base::Purpose::test});
  MixtureComponents components{.rows = shape.rows, .outputs = shape.outputs, .weights = shape.weights};
  for (std::size_t i = 0; i < shape.rows * shape.outputs * shape.weights.size(); ++i) {
    components.mean.push_back(3 + random.normal());
    components.aleatoric_variance.push_back(std::exp(random.uniform(-2, 1)));
    components.epistemic_variance.push_back(std::exp(random.uniform(-3, 0)));
  }
  return components;
}

inline std::size_t component_index(const MixtureComponents& c, std::size_t row, std::size_t member,
                                   std::size_t output) {
  return (row * c.weights.size() + member) * c.outputs + output;
}

inline double plain_mean(const MixtureComponents& c, std::size_t row, std::size_t output) {
  long double sum = 0;
  for (std::size_t l = 0; l < c.weights.size(); ++l) sum += c.weights[l] * c.mean[component_index(c, row, l, output)];
  return static_cast<double>(sum);
}

inline double plain_aleatoric(const MixtureComponents& c, std::size_t row, std::size_t output) {
  long double sum = 0;
  for (std::size_t l = 0; l < c.weights.size(); ++l) {
    sum += c.weights[l] * c.aleatoric_variance[component_index(c, row, l, output)];
  }
  return static_cast<double>(sum);
}

/// sum_l w_l [m_la m_lb - m_a m_b + (a == b) e_la].
inline double plain_epistemic(const MixtureComponents& c, std::size_t row, std::size_t a, std::size_t b) {
  long double sum = 0;
  for (std::size_t l = 0; l < c.weights.size(); ++l) {
    const std::size_t at_a = component_index(c, row, l, a);
    const std::size_t at_b = component_index(c, row, l, b);
    sum += static_cast<long double>(c.weights[l]) * c.mean[at_a] * c.mean[at_b];
    if (a == b) sum += static_cast<long double>(c.weights[l]) * c.epistemic_variance[at_a];
  }
  return static_cast<double>(sum - static_cast<long double>(plain_mean(c, row, a)) * plain_mean(c, row, b));
}

inline double plain_density(const MixtureComponents& c, std::size_t row, std::size_t output, double value) {
  double sum = 0;
  for (std::size_t l = 0; l < c.weights.size(); ++l) {
    const std::size_t at = component_index(c, row, l, output);
    const double variance = c.aleatoric_variance[at] + c.epistemic_variance[at];
    sum += c.weights[l] * std::exp(-0.5 * (value - c.mean[at]) * (value - c.mean[at]) / variance) /
           std::sqrt(2 * std::numbers::pi * variance);
  }
  return sum;
}

}  // namespace credens::model
