// SPDX-License-Identifier: Apache-2.0
//
// Moving parameters and rows without changing them.

#include "math/kernels_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/kernels_layout.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "math/kernels.hpp"
#include "math/kernels_transpose-inl.h"
#include "math/kernels_vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace credens::math::HWY_NAMESPACE {

void transpose_panels(const float* panels, PanelShape shape, float* transposed) {
  for (std::size_t panel = 0; panel * panel_width < shape.out; ++panel) {
    for (std::size_t i = 0; i < padded(shape.in); i += 4) transpose_inputs(panels, shape, panel, i, transposed);
  }
}

void gather_rows(const float* from, std::size_t cols, const std::uint32_t* order, std::size_t count, float* to,
                 std::size_t to_stride) {
  constexpr std::size_t ahead = 4;  // rows lie far apart: the next ones are on their way while one is copied
  for (std::size_t i = 0; i < count; ++i, to += to_stride) {
    const float* row = from + order[i] * cols;
    const float* later = from + order[std::min(i + ahead, count - 1)] * cols;
    for (std::size_t j = 0; j < cols; j += panel_width) {
      hwy::Prefetch(later + j);
      for (std::size_t t = j; t < j + panel_width; t += lanes) hn::Store(hn::Load(tag, row + t), tag, to + t);
    }
  }
}

const char* kernel_target() {
  return hwy::TargetName(HWY_TARGET);
}

}  // namespace credens::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credens::math {

HWY_EXPORT(transpose_panels);
HWY_EXPORT(gather_rows);
HWY_EXPORT(kernel_target);

void transpose_panels(const float* panels, PanelShape shape, float* transposed) {
  HWY_DYNAMIC_DISPATCH(transpose_panels)(panels, shape, transposed);
}

void gather_rows(const float* from, std::size_t cols, const std::uint32_t* order, std::size_t count, float* to,
                 std::size_t to_stride) {
  HWY_DYNAMIC_DISPATCH(gather_rows)(from, cols, order, count, to, to_stride);
}

const char* kernel_target() {
  return HWY_DYNAMIC_DISPATCH(kernel_target)();
}

}  // namespace credens::math
#endif
