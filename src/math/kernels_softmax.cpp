// SPDX-License-Identifier: Apache-2.0
//
// Softmax, entropy, and the sums over nodes that make moments of a softmax with normal noise on its logits.
//
// With a = v_c exp(m - t) and g = exp(-a), a class has F = sum w g, F' = sum w a g and F' + F'' = sum w a^2 g over its
// taps. At node j a tap multiplies a by e^u, so that the taps' weights w, w e^u and w e^2u are applied to one row of g.
//
// Bits. Lanes are nodes or classes, so that sums over taps are sequential in every lane; sums over nodes have 8 lanes on
// every target, sums over classes are sequential.

#include "math/kernels_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/kernels_softmax.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "math/kernels_doubles-inl.h"
#include "math/softmax_grid.hpp"
#include "math/softmax_normal.hpp"

HWY_BEFORE_NAMESPACE();
namespace credens::math::HWY_NAMESPACE {

/// Calls function(vector) for `values`, the last ones with zeros behind them, and stores what it returns in `to`.
template <class Function>
HWY_INLINE void map(const double* values, std::size_t count, double* to, const Function& function) {
  const std::size_t whole = count - count % double_lanes;
  for (std::size_t i = 0; i < whole; i += double_lanes) {
    hn::StoreU(function(hn::LoadU(doubles, values + i)), doubles, to + i);
  }
  if (whole == count) return;
  HWY_ALIGN double last[block] = {};
  std::copy(values + whole, values + count, last);
  hn::Store(function(hn::Load(doubles, last)), doubles, last);
  std::copy(last, last + (count - whole), to + whole);
}

void exponentials(double* values, std::size_t count) {
  map(values, count, values, [](DoubleVector x) HWY_ATTR { return exp(x); });
}

void geometric(double start, double step, double* values, std::size_t count) {
  for (std::size_t i = 0; i < count; i += double_lanes) {
    const DoubleVector index = hn::Iota(doubles, static_cast<double>(i));
    hn::Store(exp(hn::MulAdd(number(step), index, number(start))), doubles, values + i);
  }
}

double softmax_and_log_sum(const double* logits, std::size_t count, double* probability) {
  const double largest = *std::max_element(logits, logits + count);
  map(logits, count, probability, [&](DoubleVector z) HWY_ATTR { return exp(hn::Sub(z, number(largest))); });
  double sum = 0;
  for (std::size_t c = 0; c < count; ++c) sum += probability[c];
  for (std::size_t c = 0; c < count; ++c) probability[c] /= sum;
  return largest + hn::GetLane(log(number(sum)));
}

/// p log p, 0 for p = 0.
HWY_INLINE DoubleVector entropy_term(DoubleVector p) {
  const auto counts = hn::Ge(p, number(2.3e-308));
  return hn::IfThenElseZero(counts, hn::Mul(p, log(hn::IfThenElse(counts, p, number(1)))));
}

double entropy(const double* probability, std::size_t count) {
  double sum = 0;
  HWY_ALIGN double terms[block];
  for (std::size_t c = 0; c < count; c += block) {
    const std::size_t size = std::min(block, count - c);
    map(probability + c, size, terms, [](DoubleVector p) HWY_ATTR { return entropy_term(p); });
    for (std::size_t i = 0; i < size; ++i) sum -= terms[i];
  }
  return sum;
}

constexpr double most_rate = 403.0;  // g has vanished

/// Arrays of one class, and the product of all classes so far.
struct ClassRoom {
  double* gumbel;   ///< [points]
  double* first;    ///< F' / F [J]
  double* second;   ///< (F' + F'') / F [J]
  double* product;  ///< [J]
};

/// The points that the first `nodes` nodes need.
HWY_INLINE void gumbel_rows(const SoftmaxGrid& grid, double share, std::size_t nodes, double* gumbel) {
  const DoubleVector shares = number(-share);
  const std::size_t count = grid.row_points - (grid.nodes - nodes);
  for (std::size_t row = 0; row < grid.rows * grid.row_points; row += grid.row_points) {
    for (std::size_t i = row; i < row + count; i += double_lanes) {
      const DoubleVector rate = hn::Mul(shares, hn::Load(doubles, grid.point_rate.data() + i));
      hn::Store(exp_in_range(hn::Max(rate, number(-most_rate)), coarse_exp2), doubles, gumbel + i);
    }
  }
}

/// Stores a vector of nodes, given F, F' / a and (F' + F'') / a^2.
HWY_INLINE void store_ratios(DoubleVector a, const DoubleVector (&f)[3], std::size_t node, const ClassRoom& room) {
  const DoubleVector scale = hn::Div(a, f[0]);
  hn::Store(hn::Mul(scale, f[1]), doubles, room.first + node);
  hn::Store(hn::Mul(hn::Mul(scale, a), f[2]), doubles, room.second + node);
  hn::Store(hn::Mul(hn::Load(doubles, room.product + node), f[0]), doubles, room.product + node);
}

HWY_INLINE DoubleVector rate_at(const SoftmaxGrid& grid, double share, std::size_t node) {
  return hn::Mul(number(share), hn::Load(doubles, grid.node_rate.data() + node));
}

/// `vectors` vectors of nodes by sums over the taps.
template <std::size_t vectors>
HWY_INLINE void add_taps(const SoftmaxGrid& grid, double share, std::size_t node, const ClassRoom& room) {
  DoubleVector sum[vectors][3];
  for (auto& of_vector : sum) {
    for (DoubleVector& part : of_vector) part = hn::Zero(doubles);
  }
  for (const NoiseTap& tap : grid.taps) {
    for (std::size_t v = 0; v < vectors; ++v) {
      const DoubleVector g = hn::LoadU(doubles, room.gumbel + node + tap.offset + v * double_lanes);
      for (std::size_t i = 0; i < 3; ++i) sum[v][i] = hn::MulAdd(number(tap.weight[i]), g, sum[v][i]);
    }
  }
  for (std::size_t v = 0; v < vectors; ++v, node += double_lanes) {
    store_ratios(rate_at(grid, share, node), sum[v], node, room);
  }
}

/// The first `nodes` nodes. Three vectors at a time have the nine chains of multiply-adds that keep a processor busy.
HWY_INLINE void add_class_by_taps(const SoftmaxGrid& grid, double share, std::size_t nodes, const ClassRoom& room) {
  std::size_t node = 0;
  for (std::size_t left = nodes / double_lanes; left > 0;) {
    const std::size_t count = left == 1 ? 1 : left % 3 == 0 ? 3 : 2;
    if (count == 3) add_taps<3>(grid, share, node, room);
    if (count == 2) add_taps<2>(grid, share, node, room);
    if (count == 1) add_taps<1>(grid, share, node, room);
    node += count * double_lanes;
    left -= count;
  }
}

/// The nodes from `first` on by series in a.
HWY_INLINE void add_class_by_series(const SoftmaxGrid& grid, double share, std::size_t first, const ClassRoom& room) {
  const double* const e = grid.moment;
  const double f[] = {1, -e[1], e[2] / 2, -e[3] / 6};
  const double d[] = {e[1], -e[2], e[3] / 2, -e[4] / 6};
  const double k[] = {e[2], -e[3], e[4] / 2};
  for (std::size_t node = first; node < grid.nodes; node += double_lanes) {
    const DoubleVector a = rate_at(grid, share, node);
    store_ratios(a, {polynomial(f, a), polynomial(d, a), polynomial(k, a)}, node, room);
  }
}

/// Nodes from the first one on where the rate of a class is too large for the series: whole blocks.
std::size_t nodes_by_taps(const SoftmaxGrid& grid, double share) {
  std::size_t nodes = 0;
  while (nodes < grid.nodes && share * grid.node_rate[nodes] > grid.least_rate) nodes += block;
  return nodes;
}

void add_class(const SoftmaxGrid& grid, double share, const ClassRoom& room) {
  const std::size_t by_taps = nodes_by_taps(grid, share);
  if (by_taps > 0) gumbel_rows(grid, share, by_taps, room.gumbel);
  add_class_by_taps(grid, share, by_taps, room);
  add_class_by_series(grid, share, by_taps, room);
}

HWY_INLINE double sum_of_products(const double* x, const double* y, std::size_t count) {
  BlockSum sum;
  for (std::size_t j = 0; j < count; j += block) {
    for (std::size_t v = 0; v < vectors_per_block; ++v) {
      const std::size_t at = j + v * double_lanes;
      sum.add_product(v, hn::Load(doubles, x + at), hn::Load(doubles, y + at));
    }
  }
  return sum.total();
}

double log_sum_gap(const SoftmaxGrid& grid, const double* product) {
  BlockSum sum;
  for (std::size_t j = 0; j < grid.nodes; j += block) {
    for (std::size_t v = 0; v < vectors_per_block; ++v) {
      const std::size_t at = j + v * double_lanes;
      const DoubleVector rate = hn::Min(hn::Load(doubles, grid.node_rate.data() + at), number(most_rate));
      const DoubleVector gap = hn::Sub(exp_in_range(hn::Neg(rate), fine_exp2), hn::Load(doubles, product + at));
      sum.add_product(v, gap, number(1));
    }
  }
  return sum.total();
}

void sum_over_nodes(const SoftmaxGrid& grid, const double* share, std::size_t classes, SoftmaxSums& sums) {
  double* const ratio = sums.ratio.data();
  double* const product = sums.product.data();
  for (std::size_t c = 0; c < classes; ++c) {
    double* const first = ratio + 2 * c * grid.nodes;
    add_class(grid, share[c], {sums.gumbel.data(), first, first + grid.nodes, product});
  }
  for (std::size_t c = 0; c < classes; ++c) {
    const double* const first = ratio + 2 * c * grid.nodes;
    sums.first[c] = grid.step * sum_of_products(first, product, grid.nodes);
    sums.second[c] = grid.step * sum_of_products(first + grid.nodes, product, grid.nodes);
  }
  sums.log_sum = grid.step * log_sum_gap(grid, product);
}

}  // namespace credens::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credens::math {

HWY_EXPORT(exponentials);
HWY_EXPORT(geometric);
HWY_EXPORT(softmax_and_log_sum);
HWY_EXPORT(entropy);
HWY_EXPORT(sum_over_nodes);

void exponentials(std::span<double> values) {
  HWY_DYNAMIC_DISPATCH(exponentials)(values.data(), values.size());
}

void geometric(double start, double step, base::AlignedVector<double>& values) {
  HWY_DYNAMIC_DISPATCH(geometric)(start, step, values.data(), values.size());
}

double softmax_and_log_sum(std::span<const double> logits, std::span<double> probability) {
  return HWY_DYNAMIC_DISPATCH(softmax_and_log_sum)(logits.data(), logits.size(), probability.data());
}

void softmax(std::span<const double> logits, std::span<double> probability) {
  softmax_and_log_sum(logits, probability);
}

double entropy(std::span<const double> probability) {
  return HWY_DYNAMIC_DISPATCH(entropy)(probability.data(), probability.size());
}

void sum_over_nodes(const SoftmaxGrid& grid, std::span<const double> share, SoftmaxSums& sums) {
  sums.first.resize(share.size());
  sums.second.resize(share.size());
  sums.gumbel.resize(grid.point_rate.size());
  sums.ratio.resize(share.size() * 2 * grid.nodes);
  sums.product.assign(grid.nodes, 1.0);
  HWY_DYNAMIC_DISPATCH(sum_over_nodes)(grid, share.data(), share.size(), sums);
}

}  // namespace credens::math
#endif
