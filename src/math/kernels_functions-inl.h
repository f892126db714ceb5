// SPDX-License-Identifier: Apache-2.0
//
// exp and its relatives on vectors, and the activations made of them: relative errors of a few 1e-7, NaN only from NaN,
// the same bits on every target that fuses multiply-adds. Polynomials are minimax fits, made by
// tests/reference/kernel_polynomials.py.
//
// Letters: n the whole number nearest to x / log 2, r = x - n log 2, phi and Phi the standard normal density and
// distribution.

#if defined(CREDENS_MATH_KERNELS_FUNCTIONS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDENS_MATH_KERNELS_FUNCTIONS_INL_H
#undef CREDENS_MATH_KERNELS_FUNCTIONS_INL_H
#else
#define CREDENS_MATH_KERNELS_FUNCTIONS_INL_H
#endif

#include <cstdint>
#include <limits>

#include "math/kernels_vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace credens::math::HWY_NAMESPACE {

/// coefficients[0] + coefficients[1] x + ..., by Horner's rule.
template <std::size_t count>
HWY_INLINE Vector polynomial(const float (&coefficients)[count], Vector x) {
  Vector sum = constant(coefficients[count - 1]);
  for (std::size_t i = count - 1; i-- > 0;) sum = hn::MulAdd(sum, x, constant(coefficients[i]));
  return sum;
}

struct Reduced {
  hn::Vec<hn::RebindToSigned<Tag>> n;
  Vector expm1_r;  ///< e^r - 1, |r| <= log(2) / 2
};

/// Reduces x + correction, with `correction` the part of x that rounding took; |x| < 2^15.
HWY_INLINE Reduced reduce(Vector x, Vector correction) {
  constexpr float log2_high = 0.693359375F;  // nine bits: its products with n are exact
  constexpr float log2_low = -2.12194440e-4F;
  constexpr float series[] = {0.5F, 0.166665733F, 0.0416663624F, 0.00836377591F, 0.00139421655F};
  const Vector n = hn::Round(hn::Mul(x, constant(1.44269504F)));
  Vector r = hn::NegMulAdd(n, constant(log2_high), x);
  r = hn::Add(hn::NegMulAdd(n, constant(log2_low), r), correction);
  return {hn::ConvertTo(hn::RebindToSigned<Tag>(), n), hn::MulAdd(hn::Mul(r, r), polynomial(series, r), r)};
}

/// 2^n, -126 <= n <= 127.
template <class Integers>
HWY_INLINE Vector power_of_two(Integers n) {
  return hn::BitCast(tag, hn::ShiftLeft<23>(hn::Add(n, hn::Set(hn::RebindToSigned<Tag>(), 127))));
}

/// e^(x + correction); 0 far below and the value at 88 above it, where float ends.
HWY_INLINE Vector exp(Vector x, Vector correction = hn::Zero(tag)) {
  const Reduced reduced = reduce(clamped(x, -125.0F, 88.0F), correction);
  const auto half = hn::ShiftRight<1>(reduced.n);  // two factors, since 2^n itself may be subnormal
  const Vector mantissa = hn::Add(reduced.expm1_r, constant(1.0F));
  return hn::Mul(hn::Mul(mantissa, power_of_two(half)), power_of_two(hn::Sub(reduced.n, half)));
}

/// e^x - 1 for x <= 80, to full relative precision near 0.
HWY_INLINE Vector expm1(Vector x) {
  const Reduced reduced = reduce(clamped(x, -30.0F, 80.0F), hn::Zero(tag));
  const Vector scale = power_of_two(reduced.n);
  return hn::MulAdd(scale, reduced.expm1_r, hn::Sub(scale, constant(1.0F)));
}

/// log(1 + x) for -1/3 <= x <= 1, as 2 artanh(s) with s = x / (2 + x).
HWY_INLINE Vector log1p(Vector x) {
  constexpr float series[] = {0.666666687F, 0.399996966F, 0.2859281F, 0.21700041F, 0.232537821F};
  const Vector s = hn::Div(x, hn::Add(x, constant(2.0F)));
  const Vector square = hn::Mul(s, s);
  return hn::MulAdd(hn::Mul(s, square), polynomial(series, square), hn::Add(s, s));
}

/// log x of normal numbers x > 0, infinity and NaN: x = 2^n m with m in [sqrt(1/2), sqrt(2)).
HWY_INLINE Vector log(Vector x) {
  constexpr float log2_high = 0.693359375F;  // nine bits: its products with n are exact
  constexpr float log2_low = -2.12194440e-4F;
  const hn::RebindToSigned<Tag> integers;
  const auto bits = hn::BitCast(integers, x);
  const auto n = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(integers, 0x3F3504F3)));  // sqrt(1/2)
  const Vector m = hn::BitCast(tag, hn::Sub(bits, hn::ShiftLeft<23>(n)));
  const Vector count = hn::ConvertTo(tag, n);
  const Vector small = hn::MulAdd(count, constant(log2_low), log1p(hn::Sub(m, constant(1.0F))));
  const Vector result = hn::MulAdd(count, constant(log2_high), small);
  return hn::IfThenElse(hn::Le(x, constant(std::numeric_limits<float>::max())), result, x);
}

/// 1 / (1 + e^-x) and its complement 1 / (1 + e^x), both to full relative precision.
struct Logistic {
  Vector value;
  Vector complement;
  Vector decay;  ///< e^-|x|
};

HWY_INLINE Logistic logistic(Vector x) {
  const Vector decay = exp(hn::Neg(hn::Abs(x)));
  const Vector larger = hn::Div(constant(1.0F), hn::Add(constant(1.0F), decay));
  const Vector smaller = hn::Mul(decay, larger);
  const auto negative = hn::Lt(x, hn::Zero(tag));
  return {hn::IfThenElse(negative, smaller, larger), hn::IfThenElse(negative, larger, smaller), decay};
}

/// phi(t) and the ratio (1 - Phi(t)) / phi(t), 0 <= t <= 15.
struct NormalTail {
  Vector density;
  Vector ratio;
};

HWY_INLINE NormalTail normal_tail(Vector t) {
  // t^2 = cut^2 + (t - cut)(t + cut) where cut keeps twelve bits of t, so that its square is exact.
  const hn::RebindToUnsigned<Tag> bits;
  const Vector cut = hn::BitCast(tag, hn::And(hn::BitCast(bits, t), hn::Set(bits, 0xFFFFF000U)));
  const Vector rest = hn::Mul(hn::Sub(t, cut), hn::Add(t, cut));
  const Vector half = constant(-0.5F);
  const Vector density = hn::Mul(exp(hn::Mul(hn::Mul(cut, cut), half), hn::Mul(rest, half)), constant(0.398942280F));
  // ratio (t + 3) is a polynomial in (t - 3) / (t + 3) to 2e-8.
  constexpr float series[] = {1.82754183F,   -1.27670646F,   0.576568723F,    -0.118458286F,    -0.0262231398F,
                              0.0173881166F, 0.00254049944F, -0.00237432984F, -0.000499806309F, 0.000136637769F};
  const Vector inverse = hn::Div(constant(1.0F), hn::Add(t, constant(3.0F)));
  const Vector place = hn::Mul(hn::Sub(t, constant(3.0F)), inverse);
  return {density, hn::Mul(inverse, polynomial(series, place))};
}

/// An activation's value and slope at one vector.
struct Activated {
  Vector value;
  Vector slope;
};

/// max(x, 0), but NaN stays NaN.
HWY_INLINE Vector relu(Vector x) {
  return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(tag)), x);
}
HWY_INLINE Vector relu_slope(Vector y) {
  return hn::IfThenElseZero(hn::Gt(y, hn::Zero(tag)), constant(1.0F));
}

/// tanh x = (e^2x - 1) / (e^2x + 1), which is 1 in float from 9.02 on; its slope is 1 - y^2.
HWY_INLINE Vector tanh(Vector x) {
  const Vector bounded = clamped(x, -10.0F, 10.0F);
  const Vector grown = expm1(hn::Add(bounded, bounded));
  return hn::Div(grown, hn::Add(grown, constant(2.0F)));
}
HWY_INLINE Vector tanh_slope(Vector y) {
  return hn::NegMulAdd(y, y, constant(1.0F));
}

/// x for x > 0, otherwise e^x - 1; its slope is 1 or y + 1.
HWY_INLINE Vector elu(Vector x) {
  return hn::IfThenElse(hn::Gt(x, hn::Zero(tag)), x, expm1(x));
}
HWY_INLINE Vector elu_slope(Vector y) {
  return hn::IfThenElse(hn::Gt(y, hn::Zero(tag)), constant(1.0F), hn::Add(y, constant(1.0F)));
}

/// s = 1 / (1 + e^-x): value x s, slope s (1 + x (1 - s)).
HWY_INLINE Activated silu(Vector x) {
  const Logistic s = logistic(x);
  const Vector slope = hn::MulAdd(hn::Mul(s.value, x), s.complement, s.value);
  return {hn::Mul(x, s.value), slope};
}

/// Exact form: value x Phi(x), slope Phi(x) + x phi(x). With t = |x| and q = 1 - Phi(t): Phi(x) is q below zero and 1 -
/// q above.
HWY_INLINE Activated gelu(Vector x) {
  const Vector t = hn::Abs(clamped(x, -15.0F, 15.0F));
  const NormalTail tail = normal_tail(t);
  const Vector q = hn::Mul(tail.density, tail.ratio);
  const Vector slope_below = hn::Mul(tail.density, hn::Sub(tail.ratio, t));
  const auto negative = hn::Lt(x, hn::Zero(tag));
  const Vector one = constant(1.0F);
  return {hn::Mul(x, hn::IfThenElse(negative, q, hn::Sub(one, q))),
          hn::IfThenElse(negative, slope_below, hn::Sub(one, slope_below))};
}

}  // namespace credens::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
