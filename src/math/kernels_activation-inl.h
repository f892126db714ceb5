// SPDX-License-Identifier: Apache-2.0
//
// Activations of whole tiles that a product has just stored: too long to be repeated in every tile, and still in the
// nearest cache.
//
// Shapes: a tile is `rows` rows of `cols` columns, a multiple of the vector, `stride` apart.

#if defined(CREDENS_MATH_KERNELS_ACTIVATION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDENS_MATH_KERNELS_ACTIVATION_INL_H
#undef CREDENS_MATH_KERNELS_ACTIVATION_INL_H
#else
#define CREDENS_MATH_KERNELS_ACTIVATION_INL_H
#endif

#include "math/kernels_functions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace credens::math::HWY_NAMESPACE {

struct Tile {
  std::size_t stride;
  std::size_t rows;
  std::size_t cols;
};

struct Relu {
  HWY_INLINE Activated operator()(Vector x) const { return {relu(x), relu_slope(x)}; }
};
struct Tanh {
  HWY_INLINE Activated operator()(Vector x) const {
    const Vector y = tanh(x);
    return {y, tanh_slope(y)};
  }
};
struct Silu {
  HWY_INLINE Activated operator()(Vector x) const { return silu(x); }
};
struct Gelu {
  HWY_INLINE Activated operator()(Vector x) const { return gelu(x); }
};
struct Elu {
  HWY_INLINE Activated operator()(Vector x) const {
    const Vector y = elu(x);
    return {y, elu_slope(y)};
  }
};

/// y = f(y); slope, if not null, receives f'.
template <class Function>
HWY_INLINE void activate_with(Function f, const Tile& tile, float* y, float* slope) {
  for (std::size_t row = 0; row < tile.rows; ++row) {
    for (std::size_t col = 0; col < tile.cols; col += lanes) {
      const std::size_t at = row * tile.stride + col;
      const Activated result = f(hn::Load(tag, y + at));
      hn::Store(result.value, tag, y + at);
      if (slope != nullptr) hn::Store(result.slope, tag, slope + at);
    }
  }
}

HWY_NOINLINE void activate(Activation activation, const Tile& tile, float* y, float* slope) {
  switch (activation) {
    case Activation::relu:
      return activate_with(Relu(), tile, y, slope);
    case Activation::tanh:
      return activate_with(Tanh(), tile, y, slope);
    case Activation::silu:
      return activate_with(Silu(), tile, y, slope);
    case Activation::gelu:
      return activate_with(Gelu(), tile, y, slope);
    case Activation::elu:
      return activate_with(Elu(), tile, y, slope);
  }
}

/// The slope is that which was stored, or follows from the value.
struct StoredSlope {
  HWY_INLINE Vector operator()(Vector slope) const { return slope; }
};
struct SlopeOfTanh {
  HWY_INLINE Vector operator()(Vector y) const { return tanh_slope(y); }
};
struct SlopeOfElu {
  HWY_INLINE Vector operator()(Vector y) const { return elu_slope(y); }
};

template <class Slope>
HWY_INLINE void multiply_with(Slope slope_of, const Tile& tile, const float* from, float* dx) {
  for (std::size_t row = 0; row < tile.rows; ++row) {
    for (std::size_t col = 0; col < tile.cols; col += lanes) {
      const std::size_t at = row * tile.stride + col;
      hn::Store(hn::Mul(hn::Load(tag, dx + at), slope_of(hn::Load(tag, from + at))), tag, dx + at);
    }
  }
}

/// dx = dx f', `from` being the stored slopes of silu and gelu and the values of tanh and elu; relu ends within its
/// tile.
HWY_NOINLINE void multiply_by_slope(Activation activation, const Tile& tile, const float* from, float* dx) {
  if (activation == Activation::tanh) return multiply_with(SlopeOfTanh(), tile, from, dx);
  if (activation == Activation::elu) return multiply_with(SlopeOfElu(), tile, from, dx);
  multiply_with(StoredSlope(), tile, from, dx);
}

}  // namespace credens::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
