// SPDX-License-Identifier: Apache-2.0
//
// The vector of a target: a whole panel of 16 floats on AVX-512, half of one on AVX2, a quarter on SSE and NEON.

#if defined(CREDENS_MATH_KERNELS_VECTOR_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDENS_MATH_KERNELS_VECTOR_INL_H
#undef CREDENS_MATH_KERNELS_VECTOR_INL_H
#else
#define CREDENS_MATH_KERNELS_VECTOR_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "math/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace credens::math::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, panel_width>;
using Vector = hn::Vec<Tag>;

constexpr Tag tag;
constexpr std::size_t lanes = hn::MaxLanes(Tag());
constexpr std::size_t vectors_per_panel = panel_width / lanes;

/// Vectors that hold `count` columns; whole vectors of padding are left out.
constexpr std::size_t vectors_of(std::size_t count) {
  return (count + lanes - 1) / lanes;
}

HWY_INLINE Vector constant(float value) {
  return hn::Set(tag, value);
}

/// min(max(low, x), high), but NaN stays NaN so that a diverged network is seen.
HWY_INLINE Vector clamped(Vector x, float low, float high) {
  const Vector raised = hn::IfThenElse(hn::Lt(x, constant(low)), constant(low), x);
  return hn::IfThenElse(hn::Gt(raised, constant(high)), constant(high), raised);
}

/// A vector's worth of memory for the end of an array whose length is no multiple of it.
struct Tail {
  HWY_ALIGN float values[panel_width] = {};

  Tail(const float* from, std::size_t count) { std::copy_n(from, count, values); }
  void copy_to(float* to, std::size_t count) const { std::copy_n(values, count, to); }
};

}  // namespace credens::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
