// SPDX-License-Identifier: Apache-2.0
//
// A dense layer forward and backward: three products that differ in what is read along the depth and in how a tile
// ends.
//
// Letters: x [rows x in] inputs, y [rows x out] outputs, dx and dy their gradients, t a vector of columns.
//   forward   y  = f(b + x W)       depth in,   sums start at the bias
//   input     dx = (dy W^T) f'      depth out,  sums start at zero
//   weights   dW = x^T dy           depth rows, sums start at zero; the bias takes x = 1

#include "math/kernels_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/kernels_dense.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "math/kernels.hpp"
#include "math/kernels_functions-inl.h"
#include "math/kernels_product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace credens::math::HWY_NAMESPACE {

/// Where vector t begins: in a row of columns, and in a matrix of panels.
constexpr std::size_t column_of(std::size_t t) {
  return t * lanes;
}
constexpr std::size_t panel_offset(std::size_t t, std::size_t panel_step) {
  return vector_offset(t, panel_step);
}

/// Zeroes columns [first, padded(cols)): whole vectors of padding, which no product touches, or all padding.
void zero_columns(float* values, std::size_t stride, std::size_t rows, std::size_t first, std::size_t cols) {
  for (std::size_t row = 0; row < rows; ++row)
    std::fill(values + row * stride + first, values + row * stride + padded(cols), 0.0F);
}

/// y = f(y) and, if asked for, slope = f'(y) on a tile of y that was just stored.
template <class Function>
HWY_INLINE void activate_tile(Function f, float* y, float* slope, std::size_t stride, std::size_t rows,
                              std::size_t cols) {
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t col = 0; col < cols; col += lanes) {
      const std::size_t at = row * stride + col;
      const Activated result = f(hn::Load(tag, y + at));
      hn::Store(result.value, tag, y + at);
      if (slope != nullptr) hn::Store(result.slope, tag, slope + at);
    }
  }
}

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

/// Outside the tiles, so that five activations are not repeated in each of them.
HWY_NOINLINE void activate_tile(Activation activation, float* y, float* slope, std::size_t stride, std::size_t rows,
                                std::size_t cols) {
  switch (activation) {
    case Activation::relu:
      return activate_tile(Relu(), y, slope, stride, rows, cols);
    case Activation::tanh:
      return activate_tile(Tanh(), y, slope, stride, rows, cols);
    case Activation::silu:
      return activate_tile(Silu(), y, slope, stride, rows, cols);
    case Activation::gelu:
      return activate_tile(Gelu(), y, slope, stride, rows, cols);
    case Activation::elu:
      return activate_tile(Elu(), y, slope, stride, rows, cols);
  }
}

/// Stores a tile into row-major memory, each vector through `last`.
template <std::size_t R, std::size_t N, class Last>
HWY_INLINE void store_tile(const Sums<R, N>& sums, float* to, std::size_t stride, Last last) {
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t n = 0; n < N; ++n) {
      const std::size_t at = r * stride + n * lanes;
      hn::Store(last(sums.at[r][n], at), tag, to + at);
    }
  }
}

struct AsItIs {
  HWY_INLINE Vector operator()(Vector sum, std::size_t) const { return sum; }
};
struct ThroughRelu {
  HWY_INLINE Vector operator()(Vector sum, std::size_t) const { return relu(sum); }
};

struct ForwardProduct {
  const float* x;
  std::size_t x_stride;
  const float* panels;
  PanelShape shape;
  const Activation* activation;
  float* y;
  std::size_t y_stride;
  float* slope;

  std::size_t depth() const { return shape.in; }
  const float* left(std::size_t row) const { return x + row * x_stride; }
  std::size_t left_row_step() const { return x_stride; }
  static constexpr std::size_t left_depth_step() { return 1; }
  HWY_INLINE Vector left_value(const float* at) const { return hn::Set(tag, *at); }
  std::size_t right_panel_step() const { return (shape.in + 1) * panel_width; }
  const float* right(std::size_t t) const { return panels + panel_offset(t, right_panel_step()); }
  static constexpr std::size_t right_depth_step() { return panel_width; }
  HWY_INLINE Vector start(std::size_t t) const { return hn::Load(tag, right(t) + shape.in * panel_width); }

  template <std::size_t R, std::size_t N>
  HWY_INLINE void finish(const Sums<R, N>& sums, std::size_t row, std::size_t t) const {
    const std::size_t at = row * y_stride + column_of(t);
    if (activation != nullptr && *activation == Activation::relu && slope == nullptr) {
      return store_tile(sums, y + at, y_stride, ThroughRelu());
    }
    store_tile(sums, y + at, y_stride, AsItIs());
    if (activation != nullptr) {
      activate_tile(*activation, y + at, slope == nullptr ? nullptr : slope + at, y_stride, R, N * lanes);
    }
  }
};

/// The slope of the layer below in the epilogue; `below` and `slope` point at the tile.
struct TimesReluSlope {
  const float* below;
  HWY_INLINE Vector operator()(Vector sum, std::size_t at) const {
    return hn::IfThenElseZero(hn::Gt(hn::Load(tag, below + at), hn::Zero(tag)), sum);
  }
};
struct TimesTanhSlope {
  const float* below;
  HWY_INLINE Vector operator()(Vector sum, std::size_t at) const {
    return hn::Mul(sum, tanh_slope(hn::Load(tag, below + at)));
  }
};
struct TimesEluSlope {
  const float* below;
  HWY_INLINE Vector operator()(Vector sum, std::size_t at) const {
    return hn::Mul(sum, elu_slope(hn::Load(tag, below + at)));
  }
};
struct TimesSlope {
  const float* slope;
  HWY_INLINE Vector operator()(Vector sum, std::size_t at) const { return hn::Mul(sum, hn::Load(tag, slope + at)); }
};

struct InputProduct {
  const float* dy;
  std::size_t dy_stride;
  const float* transposed;
  PanelShape shape;
  Activation activation;
  const float* x;
  const float* slope;
  float* dx;
  std::size_t dx_stride;

  std::size_t depth() const { return shape.out; }
  const float* left(std::size_t row) const { return dy + row * dy_stride; }
  std::size_t left_row_step() const { return dy_stride; }
  static constexpr std::size_t left_depth_step() { return 1; }
  HWY_INLINE Vector left_value(const float* at) const { return hn::Set(tag, *at); }
  std::size_t right_panel_step() const { return shape.out * panel_width; }
  const float* right(std::size_t t) const { return transposed + panel_offset(t, right_panel_step()); }
  static constexpr std::size_t right_depth_step() { return panel_width; }
  HWY_INLINE Vector start(std::size_t) const { return hn::Zero(tag); }

  template <std::size_t R, std::size_t N>
  HWY_INLINE void finish(const Sums<R, N>& sums, std::size_t row, std::size_t t) const {
    const std::size_t at = row * dx_stride + column_of(t);
    switch (activation) {
      case Activation::relu:
        return store_tile(sums, dx + at, dx_stride, TimesReluSlope{x + at});
      case Activation::tanh:
        return store_tile(sums, dx + at, dx_stride, TimesTanhSlope{x + at});
      case Activation::elu:
        return store_tile(sums, dx + at, dx_stride, TimesEluSlope{x + at});
      case Activation::silu:
      case Activation::gelu:
        return store_tile(sums, dx + at, dx_stride, TimesSlope{slope + at});
    }
  }
};

/// Rows of the product are inputs; the gradient is stored in panels.
struct WeightProduct {
  const float* x;
  std::size_t x_stride;
  const float* dy;
  std::size_t dy_stride;
  std::size_t rows;
  std::size_t panel_step;
  float* gradient;

  std::size_t depth() const { return rows; }
  const float* left(std::size_t input) const { return x + input; }
  static constexpr std::size_t left_row_step() { return 1; }
  std::size_t left_depth_step() const { return x_stride; }
  HWY_INLINE Vector left_value(const float* at) const { return hn::Set(tag, *at); }
  static constexpr std::size_t right_panel_step() { return panel_width; }
  const float* right(std::size_t t) const { return dy + column_of(t); }
  std::size_t right_depth_step() const { return dy_stride; }
  HWY_INLINE Vector start(std::size_t) const { return hn::Zero(tag); }

  template <std::size_t R, std::size_t N>
  HWY_INLINE void finish(const Sums<R, N>& sums, std::size_t input, std::size_t t) const {
    float* to = gradient + panel_offset(t, panel_step) + input * panel_width;
    for (std::size_t n = 0; n < N; ++n) {
      for (std::size_t r = 0; r < R; ++r) {
        hn::Store(sums.at[r][n], tag, to + vector_offset(n, panel_step) + r * panel_width);
      }
    }
  }
};

/// The row of the bias: an input that is always 1. `gradient` points at the bias of the first panel.
struct BiasProduct : WeightProduct {
  HWY_INLINE Vector left_value(const float*) const { return constant(1.0F); }
};

void dense_forward(const float* x, std::size_t x_stride, std::size_t rows, const float* panels, PanelShape shape,
                   const Activation* activation, float* y, std::size_t y_stride, float* slope) {
  const std::size_t vectors = vectors_of(shape.out);
  compute(ForwardProduct{x, x_stride, panels, shape, activation, y, y_stride, slope}, rows, vectors);
  zero_columns(y, y_stride, rows, column_of(vectors), shape.out);
  if (slope != nullptr) zero_columns(slope, y_stride, rows, shape.out, shape.out);
}

void dense_backward_input(const float* dy, std::size_t dy_stride, std::size_t rows, const float* transposed,
                          PanelShape shape, Activation activation, const float* x, const float* slope, float* dx,
                          std::size_t dx_stride) {
  const std::size_t vectors = vectors_of(shape.in);
  compute(InputProduct{dy, dy_stride, transposed, shape, activation, x, slope, dx, dx_stride}, rows, vectors);
  zero_columns(dx, dx_stride, rows, column_of(vectors), shape.in);
}

void dense_backward_weights(const float* x, std::size_t x_stride, const float* dy, std::size_t dy_stride,
                            std::size_t rows, PanelShape shape, float* gradient) {
  const std::size_t vectors = vectors_of(shape.out);
  const std::size_t panel_step = (shape.in + 1) * panel_width;
  const WeightProduct weights{x, x_stride, dy, dy_stride, rows, panel_step, gradient};
  compute(weights, shape.in, vectors);
  BiasProduct bias{weights};
  bias.gradient += shape.in * panel_width;
  compute(bias, 1, vectors);
  float* last_panel = gradient + panel_offset(vectors - 1, panel_step) / panel_step * panel_step;
  zero_columns(last_panel, panel_width, shape.in + 1, column_of(vectors) - (padded(shape.out) - panel_width),
               panel_width);
}

}  // namespace credens::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credens::math {

HWY_EXPORT(dense_forward);
HWY_EXPORT(dense_backward_input);
HWY_EXPORT(dense_backward_weights);

void dense_forward(const float* x, std::size_t x_stride, std::size_t rows, const float* panels, PanelShape shape,
                   const Activation* activation, float* y, std::size_t y_stride, float* slope) {
  HWY_DYNAMIC_DISPATCH(dense_forward)(x, x_stride, rows, panels, shape, activation, y, y_stride, slope);
}

void dense_backward_input(const float* dy, std::size_t dy_stride, std::size_t rows, const float* transposed,
                          PanelShape shape, Activation activation, const float* x, const float* slope, float* dx,
                          std::size_t dx_stride) {
  HWY_DYNAMIC_DISPATCH(dense_backward_input)
  (dy, dy_stride, rows, transposed, shape, activation, x, slope, dx, dx_stride);
}

void dense_backward_weights(const float* x, std::size_t x_stride, const float* dy, std::size_t dy_stride,
                            std::size_t rows, PanelShape shape, float* gradient) {
  HWY_DYNAMIC_DISPATCH(dense_backward_weights)(x, x_stride, dy, dy_stride, rows, shape, gradient);
}

}  // namespace credens::math
#endif
