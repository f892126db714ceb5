// SPDX-License-Identifier: Apache-2.0
//
// Constants were chosen so that probabilities are right to 5e-8 for e <= 5; tests/unit/math/softmax_normal_test.cpp has
// the errors.

#include "math/softmax_grid.hpp"

#include <algorithm>
#include <cmath>

namespace credens::math {

namespace {

// Roots of x^3 - 3 x and x^4 - 6 x^2 + 3.
constexpr HermiteNode three_nodes[] = {{1.7320508075688773, 1.0 / 6}, {0, 2.0 / 3}, {-1.7320508075688773, 1.0 / 6}};
constexpr HermiteNode four_nodes[] = {{2.3344142183389773, 0.045875854768068492},
                                      {0.74196378430272586, 0.45412414523193151},
                                      {-0.74196378430272586, 0.45412414523193151},
                                      {-2.3344142183389773, 0.045875854768068492}};

/// The trapezoid rule in t errs by about exp(-pi^2 / h).
constexpr double widest_step = 0.52;

std::size_t whole_blocks(std::size_t count) {
  return (count + SoftmaxGrid::block - 1) / SoftmaxGrid::block * SoftmaxGrid::block;
}

std::size_t ceiling(double value) {
  return static_cast<std::size_t>(static_cast<int>(std::ceil(value)));
}

double as_double(std::size_t count) {
  return static_cast<double>(static_cast<int>(count));
}

/// First node, relative to m. Below it the product of all F is less than 1e-9.
double first_node(double variance) {
  return -3.2 - 4.2 * std::sqrt(variance);
}

NoiseTap tap_of(std::size_t offset, double weight, double growth) {
  const double tilted = weight * growth;
  return {offset, {weight, tilted, tilted * growth}};
}

}  // namespace

/// Nodes reach up to where two terms of the series in exp(m - t) leave an error of 1e-8.
void SoftmaxGrid::set_nodes(double variance, double widest) {
  const double length = 5.5 + 1.5 * variance - first_node(variance);
  nodes = whole_blocks(ceiling(length / widest));
  step = length / as_double(nodes);
  node_rate.resize(nodes + block);
}

void SoftmaxGrid::set_rows(double variance, std::span<const HermiteNode> noise) {
  set_nodes(variance, widest_step);
  geometric(-first_node(variance), -step, node_rate);
  rows = noise.size();
  row_points = nodes;
  point_rate.resize(rows * row_points);
  weight_.resize(rows);
  const double std = std::sqrt(variance);
  for (std::size_t q = 0; q < rows; ++q) weight_[q] = std * noise[q].value;
  exponentials(weight_);
  for (std::size_t q = 0; q < rows; ++q) {
    double* const row = point_rate.data() + q * row_points;
    for (std::size_t j = 0; j < nodes; ++j) row[j] = weight_[q] * node_rate[j];
    taps.push_back(tap_of(q * row_points, noise[q].weight, weight_[q]));
  }
}

/// u = spacing k with weights exp(-u^2 / 2 e), as far as 5 sqrt(e).
void SoftmaxGrid::set_row(double variance) {
  const double std = std::sqrt(variance);
  set_nodes(variance, std::min(widest_step, 0.95 * std));
  const double widest_spacing = std::min(0.9 * std, 0.8 + 0.075 * variance);
  const std::size_t stride = std::max<std::size_t>(1, static_cast<std::size_t>(widest_spacing / step));
  const double spacing = step * as_double(stride);
  const std::size_t reach = ceiling(5 * std / spacing);
  const std::size_t before = reach * stride;
  rows = 1;
  row_points = whole_blocks(nodes + 2 * before);
  point_rate.resize(row_points);
  geometric(step * as_double(before) - first_node(variance), -step, point_rate);
  std::copy_n(point_rate.begin() + static_cast<std::ptrdiff_t>(before), nodes + 1, node_rate.begin());

  weight_.resize(reach + 1);
  const double curvature = -0.5 * spacing * spacing / variance;
  for (std::size_t k = 0; k <= reach; ++k) weight_[k] = curvature * as_double(k * k);
  exponentials(weight_);
  double sum = weight_[0];
  for (std::size_t k = 1; k <= reach; ++k) sum += 2 * weight_[k];
  const double scale = 1 / sum;
  const double unit = 1 / node_rate[0];
  for (std::size_t i = 0; i <= 2 * reach; ++i) {  // u from reach spacing downwards
    const std::size_t k = i < reach ? reach - i : i - reach;
    taps.push_back(tap_of(i * stride, scale * weight_[k], unit * point_rate[i * stride]));
  }
}

/// The series ends before a^4, whose share of F' is a^4 E e^5u / (24 E e^u): here less than 1e-8.
void SoftmaxGrid::set_moments() {
  double fifth = 0;
  std::fill(std::begin(moment), std::end(moment), 0.0);
  for (const NoiseTap& tap : taps) {
    const double growth = tap.weight[1] / tap.weight[0];
    moment[0] += tap.weight[0];
    moment[1] += tap.weight[1];
    moment[2] += tap.weight[2];
    moment[3] += tap.weight[2] * growth;
    moment[4] += tap.weight[2] * growth * growth;
    fifth += tap.weight[2] * growth * growth * growth;
  }
  least_rate = std::sqrt(std::sqrt(2.4e-7 * moment[1] / fifth));
}

void SoftmaxGrid::set(double variance) {
  taps.clear();
  if (variance <= 0.015) {
    set_rows(variance, three_nodes);
  } else if (variance <= 0.07) {
    set_rows(variance, four_nodes);
  } else {
    set_row(variance);
  }
  set_moments();
}

}  // namespace credens::math
