// SPDX-License-Identifier: Apache-2.0

#include "math/softmax_grid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace credens::math {

namespace {

constexpr std::size_t block = 8;

std::size_t whole_blocks(double count) {
  return static_cast<std::size_t>(std::ceil(count / block)) * block;
}

/// exp(-start - step i), i = 0, ..., `doublings` halvings per block.
base::AlignedVector<double> rates(double start, double step, int doublings, std::size_t count) {
  base::AlignedVector<double> values(count);
  const std::size_t first = std::min(count, block);
  for (std::size_t i = 0; i < first; ++i) values[i] = -start - step * static_cast<double>(i);
  exponentials({values.data(), first});
  for (std::size_t i = first; i < count; ++i) values[i] = std::ldexp(values[i - block], -doublings);
  return values;
}

/// Nodes for variances up to the largest one. What lies below the first node is less than 1e-8; beyond the last one the
/// integrals are known to third order in exp(m - t).
SoftmaxLevel level_of(double largest_variance, int doublings) {
  const double step = doublings * std::numbers::ln2 / block;
  const double below = 3.3 + 3.4 * std::sqrt(largest_variance);
  const double above = std::min(4.6 + 1.8 * largest_variance, 6.2 + 0.9 * largest_variance);
  SoftmaxLevel level{.largest_variance = largest_variance, .doublings = doublings, .step = step};
  level.nodes = whole_blocks((below + above) / step);
  const double spare = static_cast<double>(level.nodes) * step - below - above;
  level.first = -below - 0.3 * spare;
  level.node_rate = rates(level.first, step, doublings, level.nodes + 1);
  std::vector<double> gumbel;
  for (std::size_t j = 0; j < level.nodes; ++j) gumbel.push_back(-level.node_rate[j]);
  gumbel.push_back(std::ldexp(-300 * std::numbers::ln10, -doublings));
  exponentials(gumbel);
  level.least_base = gumbel.back();
  level.gumbel_sum = std::accumulate(gumbel.begin(), gumbel.end() - 1, 0.0);
  return level;
}

/// Points of a row that serves all nodes and has a block of small rates. `first` is t - m of the first point of the row
/// with the largest rates.
void set_row(double first, std::size_t least_points, SoftmaxLevel& level) {
  constexpr double small = 4 * std::numbers::ln2;  // t - m where the rate is 1 / 16
  level.small = whole_blocks(std::max(small - first, 0.0) / level.step);
  level.row = std::max(whole_blocks(static_cast<double>(least_points)), level.small + block);
}

/// Noise of variances up to the largest one: multiples of h stride / rows, out to `reach` standard deviations.
struct Lattice {
  double largest_variance;
  int doublings;
  std::size_t rows;
  std::size_t stride;
  double reach;
};

/// Taps from u = reach spacing down to -reach spacing: points begin `before` steps ahead of the first node.
SoftmaxLevel shared_level(double largest_variance, const Lattice& lattice) {
  SoftmaxLevel level = level_of(largest_variance, lattice.doublings);
  const std::size_t rows = lattice.rows;
  const double spacing = level.step * static_cast<double>(lattice.stride) / static_cast<double>(rows);
  const auto reach = static_cast<std::size_t>(std::ceil(lattice.reach * std::sqrt(largest_variance) / spacing - 0.5));
  const std::size_t before = (reach * lattice.stride + rows - 1) / rows;
  const double first = level.first - level.step * static_cast<double>(before);
  set_row(first, level.nodes + 2 * before, level);
  for (std::size_t r = 0; r < rows; ++r) {
    const double shift = level.step * static_cast<double>(r) / static_cast<double>(rows);
    const base::AlignedVector<double> row = rates(first + shift, level.step, lattice.doublings, level.row);
    level.point_rate.insert(level.point_rate.end(), row.begin(), row.end());
  }
  for (std::size_t k = 0; k <= 2 * reach; ++k) {
    const std::size_t place = before * rows + k * lattice.stride - reach * lattice.stride;
    level.offset.push_back(place % rows * level.row + place / rows);
    level.noise.push_back(spacing * (static_cast<double>(reach) - static_cast<double>(k)));
  }
  level.growth = level.noise;
  exponentials(level.growth);
  return level;
}

/// Gauss-Hermite values as multiples of the noise's standard deviation: roots of He_n.
SoftmaxLevel apart_level(double largest_variance, std::vector<double> roots, std::vector<double> weights) {
  SoftmaxLevel level = level_of(largest_variance, 6);
  set_row(level.first - roots.back() * std::sqrt(largest_variance), level.nodes, level);
  level.point_rate = rates(level.first, level.step, level.doublings, level.row);
  for (std::size_t q = 0; q < roots.size(); ++q) level.offset.push_back(q * level.row);
  level.noise = std::move(roots);
  level.weight = std::move(weights);
  return level;
}

std::vector<SoftmaxLevel> make_levels() {
  std::vector<SoftmaxLevel> levels;
  levels.push_back(apart_level(0.01, {-1.7320508075688772, 0, 1.7320508075688772}, {1.0 / 6, 2.0 / 3, 1.0 / 6}));
  levels.push_back(apart_level(0.045,
                               {-2.3344142183389773, -0.7419637843027259, 0.7419637843027259, 2.3344142183389773},
                               {0.04587585476806849, 0.45412414523193151, 0.45412414523193151, 0.04587585476806849}));
  levels.push_back(
      apart_level(0.09, {-2.8569700138728056, -1.3556261799742659, 0, 1.3556261799742659, 2.8569700138728056},
                  {0.01125741132772069, 0.22207592200561264, 8.0 / 15, 0.22207592200561264, 0.01125741132772069}));
  constexpr Lattice lattices[] = {
      {0.22, 6, 2, 1, 5.9}, {0.36, 5, 1, 1, 5.9}, {2, 6, 1, 1, 5.9}, {4, 7, 1, 1, 5.5}, {10, 8, 1, 2, 5.0}};
  constexpr double growth = 1.189207115002721;  // four levels per doubling
  for (const Lattice& lattice : lattices) {
    while (levels.back().largest_variance < lattice.largest_variance) {
      const double largest = std::min(growth * levels.back().largest_variance, lattice.largest_variance);
      levels.push_back(shared_level(largest, lattice));
    }
  }
  return levels;
}

const SoftmaxLevel& level_at(double variance) {
  static const std::vector<SoftmaxLevel> levels = make_levels();
  const auto found = std::ranges::lower_bound(levels, variance, {}, &SoftmaxLevel::largest_variance);
  return found == levels.end() ? levels.back() : *found;
}

}  // namespace

void SoftmaxGrid::set(double variance) {
  level = &level_at(variance);
  taps.resize(level->offset.size());
  std::ranges::fill(growth, 0.0);
  if (level->weight.empty()) {
    set_shared(variance);
  } else {
    set_apart(variance);
  }
}

/// Weights w(u) = exp(-u^2 / 2 e) / sum, which are those of -u too.
void SoftmaxGrid::set_shared(double variance) {
  const std::size_t half = taps.size() / 2;
  scratch_.resize(half + 1);
  const double scale = -0.5 / variance;
  for (std::size_t k = 0; k <= half; ++k) scratch_[k] = scale * level->noise[k] * level->noise[k];
  exponentials(scratch_);
  double sum = scratch_[half];
  for (std::size_t k = 0; k < half; ++k) sum += 2 * scratch_[k];
  for (std::size_t k = 0; k < taps.size(); ++k) {
    set_tap(k, scratch_[std::min(k, taps.size() - 1 - k)] / sum, level->growth[k]);
  }
  point_rate = level->point_rate;
}

void SoftmaxGrid::set_apart(double variance) {
  scratch_.resize(taps.size());
  for (std::size_t q = 0; q < taps.size(); ++q) scratch_[q] = level->noise[q] * std::sqrt(variance);
  exponentials(scratch_);
  own_points_.resize(taps.size() * level->row);
  for (std::size_t q = 0; q < taps.size(); ++q) {
    set_tap(q, level->weight[q], scratch_[q]);
    for (std::size_t j = 0; j < level->row; ++j) own_points_[q * level->row + j] = level->point_rate[j] * scratch_[q];
  }
  point_rate = own_points_;
}

void SoftmaxGrid::set_tap(std::size_t k, double weight, double tap_growth) {
  taps[k] = {level->offset[k], weight, weight * tap_growth};
  double term = weight;
  for (std::size_t n = 0; n < std::size(growth); ++n) {
    growth[n] += term;
    term *= tap_growth;
  }
}

}  // namespace credens::math
