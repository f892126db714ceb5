// SPDX-License-Identifier: Apache-2.0
//
// From the noise head's raw value to a variance, with its slope, and on to the loss; exponentials of logits.
// softplus: log(1 + e^raw) = max(raw, 0) + log(1 + e^-|raw|), which keeps its relative precision far below zero; slope
// 1 / (1 + e^-raw).
//
// exp: e^raw for raw in [-30, 30], constant outside; slope e^raw, 0 below, and above that of 30, so that noise which
// grew out of all bounds finds its way back.

#include "math/kernels_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/kernels_noise.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "math/kernels.hpp"
#include "math/kernels_functions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace credens::math::HWY_NAMESPACE {

HWY_INLINE Activated softplus_link(Vector raw) {
  const Logistic s = logistic(raw);
  return {hn::Add(relu(raw), log1p(s.decay)), s.value};
}

HWY_INLINE Activated exp_link(Vector raw) {
  const Vector value = exp(clamped(raw, -noise_exp_bound, noise_exp_bound));
  return {value, hn::IfThenZeroElse(hn::Lt(raw, constant(-noise_exp_bound)), value)};
}

HWY_INLINE void noise_vector(NoiseLink link, float floor, const float* raw, float* variance, float* slope) {
  const Vector x = hn::Load(tag, raw);
  const Activated result = link == NoiseLink::softplus ? softplus_link(x) : exp_link(x);
  hn::Store(hn::Add(result.value, constant(floor)), tag, variance);
  hn::Store(result.slope, tag, slope);
}

void noise_variance(NoiseLink link, float floor, std::size_t count, const float* raw, float* variance, float* slope) {
  const std::size_t whole = count - count % lanes;
  for (std::size_t i = 0; i < whole; i += lanes) noise_vector(link, floor, raw + i, variance + i, slope + i);
  if (whole == count) return;

  const std::size_t rest = count - whole;
  Tail last_variance(raw + whole, rest);
  Tail last_slope(raw + whole, rest);
  noise_vector(link, floor, last_variance.values, last_variance.values, last_slope.values);
  last_variance.copy_to(variance + whole, rest);
  last_slope.copy_to(slope + whole, rest);
}

void gaussian_loss(std::size_t count, const GaussianLoss& given) {
  const GaussianLoss rows = given;  // a copy cannot be what the results point at, so it stays in registers
  for (std::size_t i = 0; i < count; i += lanes) {
    const Vector v = hn::Load(tag, rows.variance + i);
    const Vector scale = hn::Load(tag, rows.scale + i);
    const Vector half = hn::Mul(scale, constant(0.5F));
    const Vector inverse = hn::Div(constant(1.0F), v);
    const Vector residual = hn::Sub(hn::Load(tag, rows.mean + i), hn::Load(tag, rows.target + i));
    const Vector standardised = hn::Mul(residual, inverse);
    const Vector square = hn::Mul(residual, standardised);
    hn::Store(hn::Mul(half, hn::Add(square, log(v))), tag, rows.loss + i);
    hn::Store(hn::Mul(scale, standardised), tag, rows.mean_slope + i);
    hn::Store(hn::Mul(hn::Mul(half, inverse), hn::Sub(constant(1.0F), square)), tag, rows.variance_slope + i);
  }
}

void exponentials(std::size_t count, float* values) {
  for (std::size_t i = 0; i < count; i += lanes) {
    hn::Store(exp(hn::Load(tag, values + i)), tag, values + i);
  }
}

}  // namespace credens::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credens::math {

HWY_EXPORT(noise_variance);
HWY_EXPORT(gaussian_loss);
HWY_EXPORT(exponentials);

void noise_variance(NoiseLink link, float floor, std::size_t count, const float* raw, float* variance, float* slope) {
  HWY_DYNAMIC_DISPATCH(noise_variance)(link, floor, count, raw, variance, slope);
}

void gaussian_loss(std::size_t count, const GaussianLoss& rows) {
  HWY_DYNAMIC_DISPATCH(gaussian_loss)(count, rows);
}

void exponentials(std::size_t count, float* values) {
  HWY_DYNAMIC_DISPATCH(exponentials)(count, values);
}

}  // namespace credens::math
#endif
