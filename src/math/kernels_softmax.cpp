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

void gumbel_row(const SoftmaxGrid& grid, double share, double* gumbel) {
  const DoubleVector shares = number(-share);
  for (std::size_t i = 0; i < grid.point_rate.size(); i += double_lanes) {
    const DoubleVector rate = hn::Mul(shares, hn::Load(doubles, grid.point_rate.data() + i));
    hn::Store(exp_in_range(hn::Max(rate, number(-most_rate))), doubles, gumbel + i);
  }
}

/// Sums over the taps at a block of nodes.
struct TapSums {
  DoubleVector of[3][vectors_per_block];
};

HWY_INLINE TapSums sum_over_taps(const SoftmaxGrid& grid, const double* gumbel) {
  TapSums sums;
  for (auto& sum : sums.of) {
    for (DoubleVector& part : sum) part = hn::Zero(doubles);
  }
  for (const NoiseTap& tap : grid.taps) {
    for (std::size_t v = 0; v < vectors_per_block; ++v) {
      const DoubleVector g = hn::LoadU(doubles, gumbel + tap.offset + v * double_lanes);
      for (std::size_t i = 0; i < 3; ++i) sums.of[i][v] = hn::MulAdd(number(tap.weight[i]), g, sums.of[i][v]);
    }
  }
  return sums;
}

/// F' / F and (F' + F'') / F of one class at all nodes; multiplies the product by F.
void class_ratios(const SoftmaxGrid& grid, double share, const double* gumbel, double* ratio, double* product) {
  for (std::size_t j = 0; j < grid.nodes; j += block) {
    const TapSums sums = sum_over_taps(grid, gumbel + j);
    for (std::size_t v = 0; v < vectors_per_block; ++v) {
      const std::size_t node = j + v * double_lanes;
      const DoubleVector f = sums.of[0][v];
      const DoubleVector a = hn::Mul(number(share), hn::Load(doubles, grid.node_rate.data() + node));
      const DoubleVector scale = hn::Div(a, f);
      hn::Store(hn::Mul(scale, sums.of[1][v]), doubles, ratio + node);
      hn::Store(hn::Mul(hn::Mul(scale, a), sums.of[2][v]), doubles, ratio + grid.nodes + node);
      hn::Store(hn::Mul(hn::Load(doubles, product + node), f), doubles, product + node);
    }
  }
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
      const DoubleVector gap = hn::Sub(exp_in_range(hn::Neg(rate)), hn::Load(doubles, product + at));
      sum.add_product(v, gap, number(1));
    }
  }
  return sum.total();
}

void sum_over_nodes(const SoftmaxGrid& grid, const double* share, std::size_t classes, SoftmaxSums& sums) {
  const std::size_t stride = 2 * grid.nodes;
  for (std::size_t c = 0; c < classes; ++c) {
    gumbel_row(grid, share[c], sums.gumbel.data());
    class_ratios(grid, share[c], sums.gumbel.data(), sums.ratio.data() + c * stride, sums.product.data());
  }
  for (std::size_t c = 0; c < classes; ++c) {
    const double* ratio = sums.ratio.data() + c * stride;
    sums.first[c] = grid.step * sum_of_products(ratio, sums.product.data(), grid.nodes);
    sums.second[c] = grid.step * sum_of_products(ratio + grid.nodes, sums.product.data(), grid.nodes);
  }
  sums.log_sum = grid.step * log_sum_gap(grid, sums.product.data());
}

}  // namespace credens::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credens::math {

HWY_EXPORT(exponentials);
HWY_EXPORT(softmax_and_log_sum);
HWY_EXPORT(entropy);
HWY_EXPORT(sum_over_nodes);

void exponentials(std::span<double> values) {
  HWY_DYNAMIC_DISPATCH(exponentials)(values.data(), values.size());
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
