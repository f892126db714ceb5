// SPDX-License-Identifier: Apache-2.0
//
// Softmax, entropy, and the sums over nodes that make moments of a softmax with normal noise on its logits.
//
// With a = v_c exp(m - t) and g = exp(-a), a class has F = sum w g, F' = sum w a g and F' + F'' = sum w a^2 g over its
// taps. At node j a tap multiplies a by e^u, so that the taps' weights w, w e^u and w e^2u are applied to one row of g.
//
// Bits. Lanes are nodes or classes, so that sums over taps are sequential in every lane; sums over nodes have 8 lanes
// on every target, sums over classes are sequential.

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

void logarithms(double* values, std::size_t count) {
  map(values, count, values, [](DoubleVector x) HWY_ATTR { return log(x); });
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

/// e^-a for 0 <= a <= 1 / 16; what is left out is below 4e-17.
HWY_INLINE DoubleVector small_gumbel(DoubleVector a) {
  constexpr double series[] = {1, -1, 1.0 / 2, -1.0 / 6, 1.0 / 24, -1.0 / 120, 1.0 / 720, -1.0 / 5040, 1.0 / 40320};
  return polynomial(series, a);
}

/// A row of points for one class.
struct GumbelRow {
  const double* rate;
  double share;
  double* gumbel;
};

/// Rows that are computed side by side, because every value waits for the one it is a power of.
constexpr std::size_t rows_at_once = double_lanes < 4 ? 1 : 4;

/// exp(-exp(z - t)) where rates are small.
HWY_INLINE void fill_last_points(const GumbelRow (&rows)[rows_at_once], const SoftmaxLevel& level) {
  for (std::size_t at = level.small; at < level.row; at += double_lanes) {
    for (const GumbelRow& row : rows) {
      const DoubleVector a = hn::Mul(number(row.share), hn::Load(doubles, row.rate + at));
      hn::Store(small_gumbel(a), doubles, row.gumbel + at);
    }
  }
}

/// exp(-exp(z - t)) in the other blocks, from the last to the first: rates of a block are 2^k times those of the next,
/// so its values are those of the next squared k times. `least_base` raised to 2^k is 1e-300.
template <int doublings>
HWY_INLINE void fill_first_points(const GumbelRow (&rows)[rows_at_once], const SoftmaxLevel& level) {
  const DoubleVector least = number(level.least_base);
  for (std::size_t v = 0; v < vectors_per_block; ++v) {
    DoubleVector g[rows_at_once];
    for (std::size_t r = 0; r < rows_at_once; ++r) {
      g[r] = hn::Load(doubles, rows[r].gumbel + level.small + v * double_lanes);
    }
    for (std::size_t first = level.small; first > 0;) {
      first -= block;
      for (DoubleVector& value : g) value = hn::Max(value, least);
      for (int k = 0; k < doublings; ++k) {
        for (DoubleVector& value : g) value = hn::Mul(value, value);
      }
      for (std::size_t r = 0; r < rows_at_once; ++r) {
        hn::Store(g[r], doubles, rows[r].gumbel + first + v * double_lanes);
      }
    }
  }
}

/// All rows of some classes, class by class; the last row may be filled more than once.
template <int doublings>
void fill_classes(const SoftmaxGrid& grid, const double* share, std::size_t classes, double* gumbel) {
  const std::size_t points = grid.point_rate.size();
  const double* const last = gumbel + classes * points - grid.level->row;
  GumbelRow next = {grid.point_rate.data(), *share, gumbel};
  for (bool is_done = false; !is_done;) {
    GumbelRow rows[rows_at_once];
    for (GumbelRow& row : rows) {
      row = next;
      is_done = next.gumbel == last;
      if (is_done) continue;
      next.gumbel += grid.level->row;
      next.rate += grid.level->row;
      if (next.rate == grid.point_rate.data() + points) {
        next.rate = grid.point_rate.data();
        next.share = *++share;
      }
    }
    fill_last_points(rows, *grid.level);
    fill_first_points<doublings>(rows, *grid.level);
  }
}

void fill_gumbel(const SoftmaxGrid& grid, const double* share, std::size_t classes, double* gumbel) {
  switch (grid.level->doublings) {
    case 5:
      return fill_classes<5>(grid, share, classes, gumbel);
    case 6:
      return fill_classes<6>(grid, share, classes, gumbel);
    case 7:
      return fill_classes<7>(grid, share, classes, gumbel);
    default:
      return fill_classes<8>(grid, share, classes, gumbel);
  }
}

/// F' / F of one class at `count` vectors of nodes; multiplies the product by F. Several vectors keep as many chains of
/// sums at work as the processor has room for.
template <std::size_t count>
HWY_INLINE void node_slopes(const SoftmaxGrid& grid, double share, std::size_t node, const double* gumbel,
                            double* slope, SoftmaxSums& sums) {
  DoubleVector f[count];
  DoubleVector tilted[count];
  for (std::size_t v = 0; v < count; ++v) f[v] = tilted[v] = hn::Zero(doubles);
  for (const NoiseTap& tap : grid.taps) {
    for (std::size_t v = 0; v < count; ++v) {
      const DoubleVector g = hn::LoadU(doubles, gumbel + node + tap.offset + v * double_lanes);
      f[v] = hn::MulAdd(number(tap.weight), g, f[v]);
      tilted[v] = hn::MulAdd(number(tap.tilted), g, tilted[v]);
    }
  }
  for (std::size_t v = 0; v < count; ++v) {
    const std::size_t at = node + v * double_lanes;
    const DoubleVector a = hn::Mul(number(share), hn::Load(doubles, grid.level->node_rate.data() + at));
    const DoubleVector ratio = hn::Div(hn::Mul(a, tilted[v]), f[v]);
    hn::Store(ratio, doubles, slope + at);
    double* const product = sums.product.data() + at;
    double* const slopes = sums.slopes.data() + at;
    hn::Store(hn::Mul(hn::Load(doubles, product), f[v]), doubles, product);
    hn::Store(hn::Add(hn::Load(doubles, slopes), ratio), doubles, slopes);
  }
}

void class_slopes(const SoftmaxGrid& grid, double share, const double* gumbel, double* slope, SoftmaxSums& sums) {
  constexpr std::size_t most = double_lanes < 4 ? vectors_per_block : 3 * vectors_per_block;
  const std::size_t nodes = grid.level->nodes;
  std::size_t node = 0;
  for (; node + most * double_lanes <= nodes; node += most * double_lanes) {
    node_slopes<most>(grid, share, node, gumbel, slope, sums);
  }
  for (; node < nodes; node += block) node_slopes<vectors_per_block>(grid, share, node, gumbel, slope, sums);
}

/// slopes *= product; returns the sum of the product.
double weigh_slopes(std::size_t nodes, const double* product, double* slopes) {
  BlockSum sum;
  for (std::size_t j = 0; j < nodes; j += block) {
    for (std::size_t v = 0; v < vectors_per_block; ++v) {
      const std::size_t at = j + v * double_lanes;
      const DoubleVector p = hn::Load(doubles, product + at);
      hn::Store(hn::Mul(p, hn::Load(doubles, slopes + at)), doubles, slopes + at);
      sum.add(v, p);
    }
  }
  return sum.total();
}

/// Sums over the nodes of P L_c and of L_c (P S - P L_c), with P the product and S all slopes.
void sum_class(std::size_t nodes, double step, const double* slope, const double* product, const double* weighed,
               double& first, double& spread) {
  BlockSum first_sum;
  BlockSum spread_sum;
  for (std::size_t j = 0; j < nodes; j += block) {
    for (std::size_t v = 0; v < vectors_per_block; ++v) {
      const std::size_t at = j + v * double_lanes;
      const DoubleVector l = hn::Load(doubles, slope + at);
      const DoubleVector pl = hn::Mul(l, hn::Load(doubles, product + at));
      first_sum.add(v, pl);
      spread_sum.add_product(v, l, hn::Sub(hn::Load(doubles, weighed + at), pl));
    }
  }
  first = step * first_sum.total();
  spread = step * spread_sum.total();
}

void sum_over_nodes(const SoftmaxGrid& grid, const double* share, std::size_t classes, SoftmaxSums& sums) {
  const SoftmaxLevel& level = *grid.level;
  const std::size_t points = grid.point_rate.size();
  for (std::size_t begin = 0; begin < classes; begin += SoftmaxSums::classes_at_once) {
    const std::size_t count = std::min(SoftmaxSums::classes_at_once, classes - begin);
    fill_gumbel(grid, share + begin, count, sums.gumbel.data());
    for (std::size_t c = 0; c < count; ++c) {
      class_slopes(grid, share[begin + c], sums.gumbel.data() + c * points,
                   sums.slope.data() + (begin + c) * level.nodes, sums);
    }
  }
  const double product_sum = weigh_slopes(level.nodes, sums.product.data(), sums.slopes.data());
  sums.log_sum = level.step * (level.gumbel_sum - product_sum);
  for (std::size_t c = 0; c < classes; ++c) {
    sum_class(level.nodes, level.step, sums.slope.data() + c * level.nodes, sums.product.data(), sums.slopes.data(),
              sums.first[c], sums.spread[c]);
  }
}

}  // namespace credens::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credens::math {

HWY_EXPORT(exponentials);
HWY_EXPORT(logarithms);
HWY_EXPORT(softmax_and_log_sum);
HWY_EXPORT(entropy);
HWY_EXPORT(sum_over_nodes);

void exponentials(std::span<double> values) {
  HWY_DYNAMIC_DISPATCH(exponentials)(values.data(), values.size());
}

void logarithms(std::span<double> values) {
  HWY_DYNAMIC_DISPATCH(logarithms)(values.data(), values.size());
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
  sums.spread.resize(share.size());
  sums.gumbel.resize(std::min(share.size(), SoftmaxSums::classes_at_once) * grid.point_rate.size());
  sums.slope.resize(share.size() * grid.level->nodes);
  sums.product.assign(grid.level->nodes, 1.0);
  sums.slopes.assign(grid.level->nodes, 0.0);
  HWY_DYNAMIC_DISPATCH(sum_over_nodes)(grid, share.data(), share.size(), sums);
}

}  // namespace credens::math
#endif
