// SPDX-License-Identifier: Apache-2.0

#include "math/softmax_normal.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/statistics.hpp"

namespace credens::math {

namespace {

constexpr double largest_expanded = 1e-3;
constexpr double largest_integrated = 10;
constexpr double least_log_share = -750;  // its exponential is 0

double sum_of_squares(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum;
}

/// Brings logits of variance e to those of variance 10: the spread of Gumbel + normal noise is sqrt(e + pi^2 / 6).
double scale_of(double variance) {
  constexpr double gumbel_variance = std::numbers::pi * std::numbers::pi / 6;
  if (variance <= largest_integrated) return 1;
  return std::sqrt((largest_integrated + gumbel_variance) / (variance + gumbel_variance));
}

/// Second order in e around v = softmax(z), which `probability` holds.
double expand(double variance, std::span<double> probability, std::span<double> square) {
  const double norm = sum_of_squares(probability);
  for (std::size_t c = 0; c < probability.size(); ++c) {
    const double v = probability[c];
    probability[c] = v + variance * v * (norm - v);
    square[c] = probability[c] * probability[c] + variance * v * v * (1 - 2 * v + norm);
  }
  return std::max(entropy(probability) - 0.5 * variance * (1 - norm), 0.0);
}

/// Adds what lies beyond the last node, to second order in A = exp(m - t) of the first node left out: there
/// F = 1 - v_c A E e^u + v_c^2 A^2 E e^2u / 2, and sums over A and A^2 are geometric.
void add_rest(const SoftmaxGrid& grid, std::span<const double> share, SoftmaxSums& sums) {
  const double first = grid.moment[1];
  const double second = grid.moment[2];
  const double rate = grid.node_rate[grid.nodes];
  const double ratio = rate / grid.node_rate[grid.nodes - 1];
  const double linear = grid.step * rate / (1 - ratio);
  const double quadratic = grid.step * rate * rate / (1 - ratio * ratio);
  const double spread = second - first * first;
  for (std::size_t c = 0; c < share.size(); ++c) {
    const double v = share[c];
    sums.first[c] += v * (first * linear - (first * first + v * spread) * quadratic);
    sums.second[c] += v * v * second * quadratic;
  }
  sums.log_sum += (first - 1) * linear - 0.5 * (sum_of_squares(share) * spread + first * first - 1) * quadratic;
}

}  // namespace

SoftmaxNormal::SoftmaxNormal(std::size_t classes) : logits_(classes), share_(classes) {}

double SoftmaxNormal::run(std::span<const double> logits, double variance, std::span<double> probability,
                          std::span<double> square) {
  if (variance <= largest_expanded) {
    softmax(logits, probability);
    return expand(variance, probability, square);
  }
  const double scale = scale_of(variance);
  for (std::size_t c = 0; c < logits.size(); ++c) logits_[c] = scale * logits[c];
  return integrate(std::min(variance, largest_integrated), scale, probability, square);
}

double SoftmaxNormal::integrate(double variance, double scale, std::span<double> probability,
                                std::span<double> square) {
  const double m = softmax_and_log_sum(logits_, share_);
  grid_.set(variance);
  sum_over_nodes(grid_, share_, sums_);
  add_rest(grid_, share_, sums_);

  CompensatedSum sum;
  for (const double first : sums_.first) sum.add(first);
  const double total = sum.value();
  double entropy_mean = sums_.log_sum;
  for (std::size_t c = 0; c < share_.size(); ++c) {
    const double first = sums_.first[c];
    const double second = sums_.second[c];
    probability[c] = first / total;
    square[c] = std::clamp((1 - scale) * first + scale * second, probability[c] * probability[c], probability[c]);
    entropy_mean -= std::max(logits_[c] - m, least_log_share) * first + variance * (first - second);
  }
  return std::clamp(scale * entropy_mean, 0.0, entropy(probability));
}

}  // namespace credens::math
