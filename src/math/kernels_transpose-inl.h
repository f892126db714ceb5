// SPDX-License-Identifier: Apache-2.0
//
// Blocks of four inputs by four outputs between the panels of a layer and their transposed form.
//
// Letters: i input, o output; W(i, o) lies at ((o / 16) (in + 1) + i) 16 + o % 16 in panels and at ((i / 16) out + o)
// 16 + i % 16 transposed.

#if defined(CREDENS_MATH_KERNELS_TRANSPOSE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDENS_MATH_KERNELS_TRANSPOSE_INL_H
#undef CREDENS_MATH_KERNELS_TRANSPOSE_INL_H
#else
#define CREDENS_MATH_KERNELS_TRANSPOSE_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "math/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace credens::math::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

/// Four inputs by four outputs of one panel, of which `outputs` exist; inputs [inputs, 4) count as zero.
HWY_INLINE void transpose_block(const float* from, std::size_t inputs, float* to, std::size_t outputs) {
  for (std::size_t o = 0; o < outputs; ++o) {
    for (std::size_t i = 0; i < 4; ++i) to[o * panel_width + i] = i < inputs ? from[i * panel_width + o] : 0.0F;
  }
}

#else

namespace hn = hwy::HWY_NAMESPACE;

/// Four inputs by four outputs of one panel, of which `outputs` exist; inputs [inputs, 4) count as zero.
HWY_INLINE void transpose_block(const float* from, std::size_t inputs, float* to, std::size_t outputs) {
  const hn::FixedTag<float, 4> four;
  const auto zero = hn::Zero(four);
  const auto a = inputs > 0 ? hn::Load(four, from) : zero;
  const auto b = inputs > 1 ? hn::Load(four, from + panel_width) : zero;
  const auto c = inputs > 2 ? hn::Load(four, from + 2 * panel_width) : zero;
  const auto d = inputs > 3 ? hn::Load(four, from + 3 * panel_width) : zero;
  const auto ab_low = hn::InterleaveLower(four, a, b);
  const auto ab_high = hn::InterleaveUpper(four, a, b);
  const auto cd_low = hn::InterleaveLower(four, c, d);
  const auto cd_high = hn::InterleaveUpper(four, c, d);
  hn::Store(hn::ConcatLowerLower(four, cd_low, ab_low), four, to);
  if (outputs > 1) hn::Store(hn::ConcatUpperUpper(four, cd_low, ab_low), four, to + panel_width);
  if (outputs > 2) hn::Store(hn::ConcatLowerLower(four, cd_high, ab_high), four, to + 2 * panel_width);
  if (outputs > 3) hn::Store(hn::ConcatUpperUpper(four, cd_high, ab_high), four, to + 3 * panel_width);
}

#endif

/// Inputs i to i + 3 of the outputs of `panel`, as far as they exist; i is a multiple of 4.
HWY_INLINE void transpose_inputs(const float* panels, PanelShape shape, std::size_t panel, std::size_t i,
                                 float* transposed) {
  const std::size_t inputs = i < shape.in ? std::min<std::size_t>(shape.in - i, 4) : 0;
  const float* from = panels + (panel * (shape.in + 1) + i) * panel_width;
  float* to = transposed + i / panel_width * shape.out * panel_width + i % panel_width;
  const std::size_t end = std::min((panel + 1) * panel_width, shape.out);
  for (std::size_t o = panel * panel_width; o < end; o += 4) {
    transpose_block(from + o % panel_width, inputs, to + o * panel_width, std::min<std::size_t>(end - o, 4));
  }
}

}  // namespace credens::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
