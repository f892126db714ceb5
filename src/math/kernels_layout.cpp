// SPDX-License-Identifier: Apache-2.0
//
// Moving parameters and rows without changing them.
//
// Letters: i input, o output; W(i, o) lies at ((o / 16) (in + 1) + i) 16 + o % 16 in panels and at ((i / 16) out + o)
// 16 + i % 16 transposed.

#include "math/kernels_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/kernels_layout.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "math/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace credens::math::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

void transpose_panels(const float* panels, PanelShape shape, float* transposed) {
  for (std::size_t i = 0; i < padded(shape.in); ++i) {
    for (std::size_t o = 0; o < shape.out; ++o) {
      const float weight = i < shape.in ? panels[shape.index(i, o)] : 0.0F;
      transposed[(i / panel_width * shape.out + o) * panel_width + i % panel_width] = weight;
    }
  }
}

#else

namespace hn = hwy::HWY_NAMESPACE;

using Four = hn::FixedTag<float, 4>;
constexpr Four four;
using FourFloats = hn::Vec<Four>;

/// Four inputs by four outputs of one panel, of which `outputs` exist; rows [inputs, 4) count as zero.
HWY_INLINE void transpose_block(const float* from, std::size_t inputs, float* to, std::size_t outputs) {
  const FourFloats zero = hn::Zero(four);
  const FourFloats a = hn::Load(four, from);
  const FourFloats b = inputs > 1 ? hn::Load(four, from + panel_width) : zero;
  const FourFloats c = inputs > 2 ? hn::Load(four, from + 2 * panel_width) : zero;
  const FourFloats d = inputs > 3 ? hn::Load(four, from + 3 * panel_width) : zero;
  const FourFloats ab_low = hn::InterleaveLower(four, a, b);
  const FourFloats ab_high = hn::InterleaveUpper(four, a, b);
  const FourFloats cd_low = hn::InterleaveLower(four, c, d);
  const FourFloats cd_high = hn::InterleaveUpper(four, c, d);
  hn::Store(hn::ConcatLowerLower(four, cd_low, ab_low), four, to);
  if (outputs > 1) hn::Store(hn::ConcatUpperUpper(four, cd_low, ab_low), four, to + panel_width);
  if (outputs > 2) hn::Store(hn::ConcatLowerLower(four, cd_high, ab_high), four, to + 2 * panel_width);
  if (outputs > 3) hn::Store(hn::ConcatUpperUpper(four, cd_high, ab_high), four, to + 3 * panel_width);
}

/// All inputs of four outputs that begin at `from` in a panel.
HWY_INLINE void transpose_outputs(const float* from, PanelShape shape, float* to, std::size_t outputs) {
  const std::size_t whole = shape.in - shape.in % 4;
  for (std::size_t i = 0; i < whole; i += 4) {
    float* block = to + i / panel_width * shape.out * panel_width + i % panel_width;
    transpose_block(from + i * panel_width, 4, block, outputs);
  }
  for (std::size_t i = whole; i < padded(shape.in); i += 4) {
    float* block = to + i / panel_width * shape.out * panel_width + i % panel_width;
    const std::size_t inputs = i < shape.in ? shape.in - i : 0;
    if (inputs > 0) {
      transpose_block(from + i * panel_width, inputs, block, outputs);
    } else {
      for (std::size_t o = 0; o < outputs; ++o) hn::Store(hn::Zero(four), four, block + o * panel_width);
    }
  }
}

void transpose_panels(const float* panels, PanelShape shape, float* transposed) {
  for (std::size_t o = 0; o < shape.out; o += 4) {
    transpose_outputs(panels + shape.index(0, o), shape, transposed + o * panel_width,
                      std::min<std::size_t>(shape.out - o, 4));
  }
}

#endif

const char* kernel_target() {
  return hwy::TargetName(HWY_TARGET);
}

}  // namespace credens::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credens::math {

HWY_EXPORT(transpose_panels);
HWY_EXPORT(kernel_target);

void transpose_panels(const float* panels, PanelShape shape, float* transposed) {
  HWY_DYNAMIC_DISPATCH(transpose_panels)(panels, shape, transposed);
}

void gather_rows(const float* from, std::size_t cols, const std::uint32_t* order, std::size_t count, float* to,
                 std::size_t to_stride) {
  for (std::size_t i = 0; i < count; ++i) std::copy_n(from + order[i] * cols, cols, to + i * to_stride);
}

const char* kernel_target() {
  return HWY_DYNAMIC_DISPATCH(kernel_target)();
}

}  // namespace credens::math
#endif
