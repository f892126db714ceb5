// SPDX-License-Identifier: Apache-2.0
//
// Adam in one pass over gradient, parameters and both moments; square roots and divisions are exact, so bits do not
// depend on the vendor of the processor.
//
// Moments below the smallest normal number 2^-126 are stored as zero. Without this the first moment of a dead unit,
// which shrinks by beta1 in every step, would end at a subnormal number that rounds to itself, and slow every later
// step down. The largest change of a step by it is rate 2^-126 / epsilon, far below the last bit of any parameter that
// matters.
//
// Letters: g gradient, theta parameters, m and v first and second moment.

#include "math/kernels_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/kernels_adam.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <limits>

#include "math/kernels.hpp"
#include "math/kernels_vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace credens::math::HWY_NAMESPACE {

HWY_INLINE Vector without_subnormal(Vector x) {
  const Vector smallest = constant(std::numeric_limits<float>::min());
  return hn::IfThenZeroElse(hn::Lt(hn::Abs(x), smallest), x);
}

HWY_INLINE void adam_vector(AdamStep step, const float* HWY_RESTRICT gradient, float* HWY_RESTRICT theta,
                            float* HWY_RESTRICT m, float* HWY_RESTRICT v) {
  const Vector parameter = hn::Load(tag, theta);
  const Vector g = hn::MulAdd(constant(step.decay), parameter, hn::Load(tag, gradient));
  const Vector fresh_first = hn::Mul(constant(1.0F - step.beta1), g);
  const Vector fresh_second = hn::Mul(hn::Mul(constant(1.0F - step.beta2), g), g);
  const Vector first = without_subnormal(hn::MulAdd(constant(step.beta1), hn::Load(tag, m), fresh_first));
  const Vector second = without_subnormal(hn::MulAdd(constant(step.beta2), hn::Load(tag, v), fresh_second));
  const Vector root = hn::MulAdd(hn::Sqrt(second), constant(step.root_scale), constant(step.epsilon));
  hn::Store(first, tag, m);
  hn::Store(second, tag, v);
  hn::Store(hn::Sub(parameter, hn::Div(hn::Mul(constant(step.rate), first), root)), tag, theta);
}

void adam(const AdamStep& given, std::size_t count, const float* gradient, float* theta, float* m, float* v) {
  const AdamStep step = given;  // a copy cannot be what theta, m or v point at, so it stays in registers
  const std::size_t whole = count - count % lanes;
  for (std::size_t i = 0; i < whole; i += lanes) adam_vector(step, gradient + i, theta + i, m + i, v + i);
  if (whole == count) return;

  const std::size_t rest = count - whole;
  const Tail last_gradient(gradient + whole, rest);
  Tail last_theta(theta + whole, rest);
  Tail last_m(m + whole, rest);
  Tail last_v(v + whole, rest);
  adam_vector(step, last_gradient.values, last_theta.values, last_m.values, last_v.values);
  last_theta.copy_to(theta + whole, rest);
  last_m.copy_to(m + whole, rest);
  last_v.copy_to(v + whole, rest);
}

}  // namespace credens::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credens::math {

HWY_EXPORT(adam);

void adam(const AdamStep& step, std::size_t count, const float* gradient, float* theta, float* m, float* v) {
  HWY_DYNAMIC_DISPATCH(adam)(step, count, gradient, theta, m, v);
}

}  // namespace credens::math
#endif
