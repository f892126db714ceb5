// SPDX-License-Identifier: Apache-2.0

#include "math/softmax_normal.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace credens::math {

namespace {

constexpr double largest_expanded = 3e-4;
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
SoftmaxEntropies expand(double variance, std::span<double> probability, std::span<double> square) {
  const double norm = sum_of_squares(probability);
  for (std::size_t c = 0; c < probability.size(); ++c) {
    const double v = probability[c];
    probability[c] = v + variance * v * (norm - v);
    square[c] = probability[c] * probability[c] + variance * v * v * (1 - 2 * v + norm);
  }
  const double of_mean = entropy(probability);
  return {.expected = std::max(of_mean - 0.5 * variance * (1 - norm), 0.0), .of_mean = of_mean};
}

/// A power of exp(m - t), summed over all nodes that were left out, times h.
struct TailSums {
  double linear;
  double quadratic;
  double cubic;
};

TailSums tail_of(const SoftmaxLevel& level) {
  const double rate = level.node_rate[level.nodes];
  const double ratio = rate / level.node_rate[level.nodes - 1];
  const auto geometric = [&](double first, double factor) { return level.step * first / (1 - factor); };
  return {geometric(rate, ratio), geometric(rate * rate, ratio * ratio),
          geometric(rate * rate * rate, ratio * ratio * ratio)};
}

/// Adds what lies beyond the last node, to third order in A = exp(m - t): F = 1 - v A g_1 + v^2 A^2 g_2 / 2 - v^3 A^3
/// g_3 / 6 and F' = v A g_1 - v^2 A^2 g_2 + v^3 A^3 g_3 / 2 there, with g_n = E e^(n u).
void add_tail(const SoftmaxGrid& grid, std::span<const double> share, SoftmaxSums& sums) {
  const TailSums tail = tail_of(*grid.level);
  const double g1 = grid.growth[1];
  const double g2 = grid.growth[2];
  const double g3 = grid.growth[3];
  const double excess = g2 - g1 * g1;
  double squares = 0;
  double cubes = 0;
  for (std::size_t c = 0; c < share.size(); ++c) {
    squares += share[c] * share[c];
    cubes += share[c] * share[c] * share[c];
  }
  for (std::size_t c = 0; c < share.size(); ++c) {
    const double v = share[c];
    const double others = 1 - v;
    const double other_squares = squares - v * v;
    const double second = v * g1 * g1 + v * v * excess;
    const double third = v * v * v * g3 / 2 + v * v * others * g1 * g2 +
                         v * g1 * (other_squares * excess + others * others * g1 * g1) / 2;
    sums.first[c] += v * g1 * tail.linear - second * tail.quadratic + third * tail.cubic;
    const double pairs = v * g1 * (v * others * g2 + other_squares * g2 + (others * others - other_squares) * g1 * g1);
    sums.spread[c] += v * others * g1 * g1 * tail.quadratic - pairs * tail.cubic;
  }
  const double second = (1 - squares * excess - g1 * g1) / 2;
  const double third =
      (cubes * g3 + 3 * (squares - cubes) * g1 * g2 + (1 - 3 * squares + 2 * cubes) * g1 * g1 * g1 - 1) / 6;
  sums.log_sum += (g1 - 1) * tail.linear + second * tail.quadratic + third * tail.cubic;
}

}  // namespace

SoftmaxNormal::SoftmaxNormal(std::size_t classes) : logits_(classes), share_(classes) {}

SoftmaxEntropies SoftmaxNormal::run(std::span<const double> logits, double variance, std::span<double> probability,
                                    std::span<double> square) {
  if (variance <= largest_expanded) {
    softmax(logits, probability);
    return expand(variance, probability, square);
  }
  const double scale = scale_of(variance);
  for (std::size_t c = 0; c < logits.size(); ++c) logits_[c] = scale * logits[c];
  return integrate(std::min(variance, largest_integrated), scale, probability, square);
}

SoftmaxEntropies SoftmaxNormal::integrate(double variance, double scale, std::span<double> probability,
                                          std::span<double> square) {
  const double m = softmax_and_log_sum(logits_, share_);
  grid_.set(variance);
  sum_over_nodes(grid_, share_, sums_);
  add_tail(grid_, share_, sums_);

  double total = 0;
  for (const double first : sums_.first) total += first;
  double entropy_mean = sums_.log_sum;
  for (std::size_t c = 0; c < share_.size(); ++c) {
    const double p = sums_.first[c] / total;
    const double spread = sums_.spread[c] / total;
    probability[c] = p;
    square[c] = std::clamp(p - scale * spread, p * p, p);
    entropy_mean -= std::max(logits_[c] - m, least_log_share) * p + variance * spread;
  }
  const double of_mean = entropy(probability);
  return {.expected = std::clamp(scale * entropy_mean, 0.0, of_mean), .of_mean = of_mean};
}

}  // namespace credens::math
