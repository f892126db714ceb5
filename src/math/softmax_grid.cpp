// SPDX-License-Identifier: Apache-2.0

#include "math/softmax_grid.hpp"

#include <algorithm>
#include <cmath>

namespace credens::math {

namespace {

constexpr std::size_t whole_vectors = 8;

std::size_t rounded_up(double count) {
  return static_cast<std::size_t>(std::ceil(count / whole_vectors)) * whole_vectors;
}

/// exp(-start - step i), i = 0, ...
void fill_rates(double start, double step, base::AlignedVector<double>& rates) {
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i] = -start - step * static_cast<double>(i);
  exponentials(rates);
}

NoiseTap tap_at(std::size_t offset, double weight, double growth) {
  return {offset, {weight, weight * growth, weight * growth * growth}};
}

/// First and last t, relative to m.
struct Range {
  double first;
  double length;
};

Range range_of(double variance) {
  const double below = 3.2 + 4.2 * std::sqrt(variance);
  const double above = 5.5 + 1.5 * variance;
  return {-below, below + above};
}

void set_shared(double variance, SoftmaxGrid& grid) {
  const double std = std::sqrt(variance);
  const Range range = range_of(variance);
  grid.nodes = rounded_up(range.length / std::min(0.52, 0.95 * std));
  grid.step = range.length / static_cast<double>(grid.nodes);
  const double widest = std::min(0.9 * std, 0.8 + 0.075 * variance);
  const auto stride = static_cast<std::size_t>(std::max(1.0, std::floor(widest / grid.step)));
  const double spacing = grid.step * static_cast<double>(stride);
  const auto reach = static_cast<std::size_t>(std::ceil(5.2 * std / spacing));

  const std::size_t before = reach * stride;
  grid.point_rate.resize((grid.nodes + 2 * before + whole_vectors - 1) / whole_vectors * whole_vectors);
  fill_rates(range.first - grid.step * static_cast<double>(before), grid.step, grid.point_rate);
  grid.node_rate.assign(grid.point_rate.begin() + static_cast<std::ptrdiff_t>(before),
                        grid.point_rate.begin() + static_cast<std::ptrdiff_t>(before + grid.nodes + 1));

  // Taps from u = reach spacing down to -reach spacing: point i lies at t_i - before h.
  const std::size_t count = 2 * reach + 1;
  std::vector<double> values(2 * count);
  for (std::size_t k = 0; k < count; ++k) {
    const double u = spacing * (static_cast<double>(reach) - static_cast<double>(k));
    values[k] = -0.5 * u * u / variance;
    values[count + k] = u;
  }
  exponentials(values);
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += values[k];
  grid.taps.clear();
  for (std::size_t k = 0; k < count; ++k) grid.taps.push_back(tap_at(k * stride, values[k] / sum, values[count + k]));
}

void set_apart(double variance, SoftmaxGrid& grid) {
  const Range range = range_of(variance);
  grid.nodes = rounded_up(range.length / 0.52);
  grid.step = range.length / static_cast<double>(grid.nodes);
  grid.node_rate.resize(grid.nodes + 1);
  fill_rates(range.first, grid.step, grid.node_rate);

  struct HermiteNode {
    double value;
    double weight;
  };
  // Roots of x^3 - 3 x and of x^4 - 6 x^2 + 3.
  static constexpr HermiteNode three[] = {{-1.7320508075688772, 1.0 / 6}, {0, 2.0 / 3}, {1.7320508075688772, 1.0 / 6}};
  static constexpr HermiteNode four[] = {{-2.3344142183389773, 0.04587585476806849},
                                         {-0.7419637843027259, 0.45412414523193151},
                                         {0.7419637843027259, 0.45412414523193151},
                                         {2.3344142183389773, 0.04587585476806849}};
  const std::span<const HermiteNode> rule = variance <= 0.015 ? std::span<const HermiteNode>(three) : four;
  grid.taps.clear();
  grid.point_rate.resize(rule.size() * grid.nodes);
  std::vector<double> growth;
  for (const HermiteNode& node : rule) growth.push_back(node.value * std::sqrt(variance));
  exponentials(growth);
  for (std::size_t q = 0; q < rule.size(); ++q) {
    grid.taps.push_back(tap_at(q * grid.nodes, rule[q].weight, growth[q]));
    for (std::size_t j = 0; j < grid.nodes; ++j) grid.point_rate[q * grid.nodes + j] = grid.node_rate[j] * growth[q];
  }
}

}  // namespace

void SoftmaxGrid::set(double variance) {
  if (variance <= 0.07) {
    set_apart(variance, *this);
  } else {
    set_shared(variance, *this);
  }
}

}  // namespace credens::math
