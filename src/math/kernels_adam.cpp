// SPDX-License-Identifier: Apache-2.0
//
// Adam in one pass over gradient, parameters and both moments; square roots and divisions are exact, so bits do not
// depend on the vendor of the processor.
//
// Letters: g gradient, theta parameters, m and v first and second moment, d = sqrt(v) root_scale + epsilon the
// denominator of a step.
//
// Roots and divisions are what Adam waits for. The rows of a panel share divisions in pairs: rate / d_0 = d_1 (rate /
// (d_0 d_1)), and the same with 0 and 1 exchanged. Denominators are at least epsilon, so the product does not
// underflow. And nothing is used in the moment it is computed: while a block of four rows gets its moments, the block
// before it takes its step and the one before that is transposed.

#include "math/kernels_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/kernels_adam.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "math/kernels.hpp"
#include "math/kernels_transpose-inl.h"
#include "math/kernels_vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace credens::math::HWY_NAMESPACE {

/// Pointers to the values of a parameter.
struct Place {
  const float* gradient;
  float* theta;
  float* m;
  float* v;

  HWY_INLINE Place operator+(std::size_t offset) const {
    return {gradient + offset, theta + offset, m + offset, v + offset};
  }
};

/// Stores the new moments and returns d.
HWY_INLINE Vector update_moments(const AdamStep& step, const Place& at) {
  const Vector g = hn::MulAdd(constant(step.decay), hn::LoadU(tag, at.theta), hn::LoadU(tag, at.gradient));
  const Vector fresh_first = hn::Mul(constant(1.0F - step.beta1), g);
  const Vector fresh_second = hn::Mul(hn::Mul(constant(1.0F - step.beta2), g), g);
  const Vector second = hn::MulAdd(constant(step.beta2), hn::LoadU(tag, at.v), fresh_second);
  hn::StoreU(hn::MulAdd(constant(step.beta1), hn::LoadU(tag, at.m), fresh_first), tag, at.m);
  hn::StoreU(second, tag, at.v);
  return hn::MulAdd(hn::Sqrt(second), constant(step.root_scale), constant(step.epsilon));
}

/// theta -= (rate / d) m.
HWY_INLINE void descend(Vector rate_by_denominator, const Place& at) {
  const Vector theta = hn::LoadU(tag, at.theta);
  hn::StoreU(hn::NegMulAdd(hn::LoadU(tag, at.m), rate_by_denominator, theta), tag, at.theta);
}

constexpr std::size_t block_rows = 4;

/// Denominators of a block of rows.
struct Block {
  HWY_ALIGN float denominator[block_rows * panel_width];
};

template <std::size_t Count>
HWY_INLINE void update_rows(const AdamStep& step, const Place& first, Block& block) {
  for (std::size_t t = 0; t < vectors_per_panel; ++t) {
    for (std::size_t row = 0; row < Count; ++row) {
      const std::size_t at = row * panel_width + t * lanes;
      hn::Store(update_moments(step, first + at), tag, block.denominator + at);
    }
  }
}

template <std::size_t Count>
HWY_INLINE void descend_rows(const AdamStep& step, const Place& first, const Block& block) {
  for (std::size_t t = 0; t < vectors_per_panel; ++t) {
    for (std::size_t row = 0; row + 1 < Count; row += 2) {
      const std::size_t a = row * panel_width + t * lanes;
      const std::size_t b = a + panel_width;
      const Vector of_a = hn::Load(tag, block.denominator + a);
      const Vector of_b = hn::Load(tag, block.denominator + b);
      const Vector shared = hn::Div(constant(step.rate), hn::Mul(of_a, of_b));
      descend(hn::Mul(of_b, shared), first + a);
      descend(hn::Mul(of_a, shared), first + b);
    }
    if constexpr (Count % 2 == 1) {
      const std::size_t last = (Count - 1) * panel_width + t * lanes;
      descend(hn::Div(constant(step.rate), hn::Load(tag, block.denominator + last)), first + last);
    }
  }
}

/// The rows past the last whole block of a panel.
template <std::size_t Count>
HWY_INLINE void adam_rest(std::size_t count, const AdamStep& step, const Place& first) {
  if (count == Count) {
    Block block;
    update_rows<Count>(step, first, block);
    descend_rows<Count>(step, first, block);
  } else if constexpr (Count > 1) {
    adam_rest<Count - 1>(count, step, first);
  }
}

template <bool Transposes>
HWY_INLINE void adam_panel(const AdamStep& step, PanelShape shape, std::size_t panel, const Place& first, float* panels,
                           float* transposed) {
  constexpr std::size_t size = block_rows * panel_width;
  const std::size_t blocks = (shape.in + 1) / block_rows;
  Block recent[2];
  const auto transpose = [&](std::size_t block) {
    if constexpr (Transposes) transpose_inputs(panels, shape, panel, block * block_rows, transposed);
  };
  if (blocks > 0) update_rows<block_rows>(step, first, recent[0]);
  for (std::size_t block = 0; block < blocks; ++block) {
    if (block + 1 < blocks) update_rows<block_rows>(step, first + (block + 1) * size, recent[(block + 1) % 2]);
    descend_rows<block_rows>(step, first + block * size, recent[block % 2]);
    if (block > 0) transpose(block - 1);
  }
  adam_rest<block_rows - 1>((shape.in + 1) % block_rows, step, first + blocks * size);
  if (blocks > 0) transpose(blocks - 1);
  if (blocks * block_rows < shape.in) transpose(blocks);
}

void adam_layer(const AdamStep& given, PanelShape shape, const float* gradient, float* panels, float* m, float* v,
                float* transposed) {
  const AdamStep step = given;  // a copy cannot be what the others point at, so it stays in registers
  for (std::size_t panel = 0; panel * panel_width < shape.out; ++panel) {
    const Place first = Place{gradient, panels, m, v} + panel * (shape.in + 1) * panel_width;
    if (transposed == nullptr) {
      adam_panel<false>(step, shape, panel, first, panels, transposed);
    } else {
      adam_panel<true>(step, shape, panel, first, panels, transposed);
    }
  }
}

HWY_INLINE void adam_vector(const AdamStep& step, const Place& at) {
  descend(hn::Div(constant(step.rate), update_moments(step, at)), at);
}

void adam(const AdamStep& given, std::size_t count, const float* gradient, float* theta, float* m, float* v) {
  const AdamStep step = given;
  const Place all{gradient, theta, m, v};
  const std::size_t whole = count - count % lanes;
  for (std::size_t i = 0; i < whole; i += lanes) adam_vector(step, all + i);
  if (whole == count) return;

  const std::size_t rest = count - whole;
  const Tail last_gradient(gradient + whole, rest);
  Tail last_theta(theta + whole, rest);
  Tail last_m(m + whole, rest);
  Tail last_v(v + whole, rest);
  adam_vector(step, {last_gradient.values, last_theta.values, last_m.values, last_v.values});
  last_theta.copy_to(theta + whole, rest);
  last_m.copy_to(m + whole, rest);
  last_v.copy_to(v + whole, rest);
}

}  // namespace credens::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credens::math {

HWY_EXPORT(adam);
HWY_EXPORT(adam_layer);

void adam(const AdamStep& step, std::size_t count, const float* gradient, float* theta, float* m, float* v) {
  HWY_DYNAMIC_DISPATCH(adam)(step, count, gradient, theta, m, v);
}

void adam_layer(const AdamStep& step, PanelShape shape, const float* gradient, float* panels, float* m, float* v,
                float* transposed) {
  HWY_DYNAMIC_DISPATCH(adam_layer)(step, shape, gradient, panels, m, v, transposed);
}

}  // namespace credens::math
#endif
