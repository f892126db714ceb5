// SPDX-License-Identifier: Apache-2.0
//
// Vectors of doubles in blocks of 8, their exp and log, and sums whose bits do not depend on the vector's width.
// Polynomials of exp are minimax fits, made by tests/reference/kernel_polynomials.py.

#if defined(CREDENS_MATH_KERNELS_DOUBLES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDENS_MATH_KERNELS_DOUBLES_INL_H
#undef CREDENS_MATH_KERNELS_DOUBLES_INL_H
#else
#define CREDENS_MATH_KERNELS_DOUBLES_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace credens::math::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t block = 8;
using Doubles = hn::CappedTag<double, block>;
using DoubleVector = hn::Vec<Doubles>;
constexpr Doubles doubles;
constexpr std::size_t double_lanes = hn::MaxLanes(Doubles());
constexpr std::size_t vectors_per_block = block / double_lanes;

HWY_INLINE DoubleVector number(double value) {
  return hn::Set(doubles, value);
}

/// coefficients[0] + coefficients[1] x + ..., by Horner's rule.
template <std::size_t count>
HWY_INLINE DoubleVector polynomial(const double (&coefficients)[count], DoubleVector x) {
  DoubleVector sum = number(coefficients[count - 1]);
  for (std::size_t i = count - 1; i-- > 0;) sum = hn::MulAdd(sum, x, number(coefficients[i]));
  return sum;
}

constexpr double log2_high = 0.693147180369123816490;  // 33 bits: its products with n are exact
constexpr double log2_low = 1.90821492927058770002e-10;

/// Below this exp gives 0; e^-708 is near the smallest normal number.
constexpr double least_exponent = -708.0;

/// e^x for least_exponent <= x <= 700. With n the whole number nearest to x / log 2 and r = x - n log 2 this is a
/// polynomial in r times 2^n. Adding 1.5 2^52 rounds to n and leaves it in the lowest bits, which become exponent.
HWY_INLINE DoubleVector exp_in_range(DoubleVector x) {
  constexpr double rounder = 6755399441055744.0;
  constexpr double series[] = {1,
                               1,
                               0.500000000000002,
                               0.16666666666666116,
                               0.041666666666478447,
                               0.0083333333335779154,
                               0.0013888888955039505,
                               0.00019841269407634379,
                               2.4801482445889918e-05,
                               2.7557634791075788e-06,
                               2.7633795730644148e-07,
                               2.4993157430930548e-08};
  const hn::RebindToSigned<Doubles> integers;
  const DoubleVector rounded = hn::MulAdd(x, number(1.44269504088896340736), number(rounder));
  const DoubleVector n = hn::Sub(rounded, number(rounder));
  const DoubleVector r = hn::NegMulAdd(n, number(log2_low), hn::NegMulAdd(n, number(log2_high), x));
  const auto mantissa = hn::BitCast(integers, polynomial(series, r));
  return hn::BitCast(doubles, hn::Add(mantissa, hn::ShiftLeft<52>(hn::BitCast(integers, rounded))));
}

/// e^x for x <= 700, 0 below least_exponent.
HWY_INLINE DoubleVector exp(DoubleVector x) {
  const auto vanishes = hn::Lt(x, number(least_exponent));
  return hn::IfThenZeroElse(vanishes, exp_in_range(hn::IfThenZeroElse(vanishes, x)));
}

/// log x of normal numbers x > 0: x = 2^n m with m in [sqrt(1/2), sqrt(2)), log m = 2 artanh(s), s = (m - 1) / (m + 1).
HWY_INLINE DoubleVector log(DoubleVector x) {
  constexpr double series[] = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9, 2.0 / 11,
                               2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19};  // the rest is below 3e-17 of s
  constexpr std::int64_t root_half = 0x3FE6A09E667F3BCD;
  const hn::RebindToSigned<Doubles> integers;
  const auto bits = hn::BitCast(integers, x);
  const auto n = hn::ShiftRight<52>(hn::Sub(bits, hn::Set(integers, root_half)));
  const DoubleVector m = hn::BitCast(doubles, hn::Sub(bits, hn::ShiftLeft<52>(n)));
  const DoubleVector s = hn::Div(hn::Sub(m, number(1)), hn::Add(m, number(1)));
  const DoubleVector square = hn::Mul(s, s);
  const DoubleVector log_m = hn::MulAdd(hn::Mul(s, square), polynomial(series, square), hn::Add(s, s));
  const DoubleVector count = hn::ConvertTo(doubles, n);
  return hn::MulAdd(count, number(log2_high), hn::MulAdd(count, number(log2_low), log_m));
}

/// A sum over blocks of 8: value i of a block goes to lane i, and the 8 lanes are added pair by pair.
class BlockSum {
 public:
  BlockSum() {
    for (DoubleVector& part : parts_) part = hn::Zero(doubles);
  }

  /// Adds x y of vector `v` of a block.
  HWY_INLINE void add_product(std::size_t v, DoubleVector x, DoubleVector y) {
    parts_[v] = hn::MulAdd(x, y, parts_[v]);
  }

  HWY_INLINE void add(std::size_t v, DoubleVector x) { parts_[v] = hn::Add(x, parts_[v]); }

  /// ((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7)), by halves of what is left.
  HWY_INLINE double total() const { return folded<vectors_per_block>(parts_); }

 private:
  template <std::size_t count>
  static HWY_INLINE double folded(const DoubleVector (&parts)[count]) {
    if constexpr (count == 1) {
      return folded_lanes(doubles, parts[0]);
    } else {
      DoubleVector sums[count / 2];
      for (std::size_t v = 0; v < count / 2; ++v) sums[v] = hn::Add(parts[v], parts[v + count / 2]);
      return folded<count / 2>(sums);
    }
  }

  template <class D>
  static HWY_INLINE double folded_lanes(D, hn::Vec<D> x) {
#if HWY_TARGET != HWY_SCALAR  // which has no halves
    if constexpr (hn::MaxLanes(D()) > 1) {
      const hn::Half<D> half;
      return folded_lanes(half, hn::Add(hn::LowerHalf(half, x), hn::UpperHalf(half, x)));
    }
#endif
    return hn::GetLane(x);
  }

  DoubleVector parts_[vectors_per_block];
};

}  // namespace credens::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
