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

/// 2^r for |r| <= 1/2 with relative errors of 1e-12 and 3e-18.
constexpr double coarse_exp2[] = {0.99999999999973777,    0.69314718054541113,   0.24022650699124429,
                                  0.055504109437953336,   0.0096181285083712584, 0.0013333447775462411,
                                  0.00015403864685804554, 1.531087938326937e-05, 1.3175078017584967e-06};
constexpr double fine_exp2[] = {1,
                                0.69314718055994529,
                                0.24022650695910164,
                                0.055504108664819751,
                                0.009618129107585029,
                                0.001333355814681978,
                                0.00015403530466746228,
                                1.5252733470707875e-05,
                                1.3215430917950858e-06,
                                1.0178202561541343e-07,
                                7.0744902667193378e-09,
                                4.4350773270109762e-10};

constexpr double least_exponent = -708.0;  // e^-708 is near the smallest normal number

/// e^x for least_exponent <= x <= 700, by the given polynomial for 2^r. With n the whole number nearest to x / log 2,
/// e^x = 2^n 2^r. Adding 1.5 2^52 rounds to n and leaves it in the lowest bits, which are shifted to the exponent.
template <std::size_t count>
HWY_INLINE DoubleVector exp_in_range(DoubleVector x, const double (&exp2)[count]) {
  constexpr double rounder = 6755399441055744.0;
  constexpr double per_log2 = 1.44269504088896340736;
  const hn::RebindToSigned<Doubles> integers;
  const DoubleVector rounded = hn::MulAdd(x, number(per_log2), number(rounder));
  const DoubleVector r = hn::MulSub(x, number(per_log2), hn::Sub(rounded, number(rounder)));
  const auto mantissa = hn::BitCast(integers, polynomial(exp2, r));
  return hn::BitCast(doubles, hn::Add(mantissa, hn::ShiftLeft<52>(hn::BitCast(integers, rounded))));
}

/// e^x for x <= 700, 0 below least_exponent.
HWY_INLINE DoubleVector exp(DoubleVector x) {
  const auto vanishes = hn::Lt(x, number(least_exponent));
  return hn::IfThenZeroElse(vanishes, exp_in_range(hn::IfThenZeroElse(vanishes, x), fine_exp2));
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
  constexpr double log2_high = 0.693147180369123816490;  // 33 bits: its products with n are exact
  constexpr double log2_low = 1.90821492927058770002e-10;
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

  HWY_INLINE double total() const {
    HWY_ALIGN double lane[block];
    if constexpr (vectors_per_block == 1) {
      hn::Store(parts_[0], doubles, lane);
      for (std::size_t i = 0; i < block / 2; ++i) lane[i] += lane[block / 2 + i];
    } else {
      constexpr std::size_t half = vectors_per_block / 2;
      for (std::size_t v = 0; v < half; ++v) {
        hn::Store(hn::Add(parts_[v], parts_[half + v]), doubles, lane + v * double_lanes);
      }
    }
    return (lane[0] + lane[2]) + (lane[1] + lane[3]);
  }

 private:
  DoubleVector parts_[vectors_per_block];
};

}  // namespace credens::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
