// SPDX-License-Identifier: Apache-2.0
//
// A dense layer forward and backward: three products that differ in what is read along the depth and in how a tile
// ends.
//
// Letters: x [rows x in] inputs, y [rows x out] outputs, dx and dy their gradients, t a vector of columns.
//   forward   y  = f(b + x W)   depth in,   sums start at the bias
//   input     dx = (dy W^T) f'  depth out,  sums start at zero
//   weights   dW = x^T dy       depth rows, sums start at zero; the bias has x = 1

#include "math/kernels_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/kernels_dense.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "math/kernels.hpp"
#include "math/kernels_activation-inl.h"
#include "math/kernels_product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace credens::math::HWY_NAMESPACE {

/// Zeroes the columns [first, end) of each row, which are whole vectors.
void zero_vectors(float* values, std::size_t stride, std::size_t rows, std::size_t first, std::size_t end) {
  if (first == end) return;
  for (std::size_t row = 0; row < rows; ++row, values += stride) {
    for (std::size_t j = first; j < end; j += lanes) hn::Store(hn::Zero(tag), tag, values + j);
  }
}

/// Zeroes the columns [cols, padded(cols)) of each row.
void zero_pads(float* values, std::size_t stride, std::size_t rows, std::size_t cols) {
  for (std::size_t row = 0; row < rows; ++row, values += stride) std::fill(values + cols, values + padded(cols), 0.0F);
}

struct AsItIs {
  HWY_INLINE Vector operator()(Vector sum, std::size_t) const { return sum; }
};
struct Rectified {
  HWY_INLINE Vector operator()(Vector sum, std::size_t) const { return relu(sum); }
};
struct WhereActive {
  const float* below;  ///< outputs of the relu below, at the tile
  HWY_INLINE Vector operator()(Vector sum, std::size_t at) const {
    return hn::IfThenElseZero(hn::Gt(hn::Load(tag, below + at), hn::Zero(tag)), sum);
  }
};

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

/// Operation on a tile after its sums. Those of relu are short enough to be part of every tile.
enum class Ending { none, relu, relu_slope, activation, slope };

/// Rows times panels: y from x and W, and dx from dy and W^T.
struct RowProduct {
  std::size_t depth;
  const float* rows;
  std::size_t rows_stride;
  const float* panels;
  std::size_t panel_step;
  const float* bias;  ///< of the first panel, or null
  float* result;
  std::size_t result_stride;
  Ending ending;
  Activation activation;
  const float* below;  ///< what relu_slope and slope are taken from, laid out as the result
  float* slope;        ///< where activation puts its slopes, or null

  template <std::size_t R>
  struct Left {
    const float* row[R];
    std::size_t k;

    HWY_INLINE Vector value(std::size_t r) const { return hn::Set(tag, row[r][k]); }
    HWY_INLINE void advance() { ++k; }
  };

  struct Right {
    const float* panel;
    std::size_t panel_step;

    HWY_INLINE Vector vector(std::size_t n) const { return hn::Load(tag, panel + vector_offset(n, panel_step)); }
    HWY_INLINE void advance() { panel += panel_width; }
  };

  template <std::size_t R>
  HWY_INLINE Left<R> left(std::size_t row) const {
    Left<R> cursor;
    for (std::size_t r = 0; r < R; ++r) cursor.row[r] = rows + (row + r) * rows_stride;
    cursor.k = 0;
    return cursor;
  }

  HWY_INLINE Right right(std::size_t t) const { return {panels + vector_offset(t, panel_step), panel_step}; }

  HWY_INLINE Vector start(std::size_t t) const {
    return bias == nullptr ? hn::Zero(tag) : hn::Load(tag, bias + vector_offset(t, panel_step));
  }

  template <std::size_t R, std::size_t N>
  HWY_INLINE void finish(const Sums<R, N>& sums, std::size_t row, std::size_t t) const {
    const std::size_t at = row * result_stride + t * lanes;
    float* to = result + at;
    if (ending == Ending::relu) return store_tile(sums, to, result_stride, Rectified());
    if (ending == Ending::relu_slope) return store_tile(sums, to, result_stride, WhereActive{below + at});
    store_tile(sums, to, result_stride, AsItIs());
    const Tile tile{result_stride, R, N * lanes};
    if (ending == Ending::activation) activate(activation, tile, to, slope == nullptr ? nullptr : slope + at);
    if (ending == Ending::slope) multiply_by_slope(activation, tile, below + at, to);
  }
};

/// Columns of x times columns of dy, stored in panels: a row of this product is an input of the layer.
struct WeightProduct {
  std::size_t depth;
  const float* x;
  std::size_t x_stride;
  const float* dy;
  std::size_t dy_stride;
  float* gradient;
  std::size_t panel_step;

  template <std::size_t R>
  struct Left {
    const float* x;
    std::size_t stride;

    HWY_INLINE Vector value(std::size_t r) const { return hn::Set(tag, x[r]); }
    HWY_INLINE void advance() { x += stride; }
  };

  struct Right {
    const float* dy;
    std::size_t stride;

    HWY_INLINE Vector vector(std::size_t n) const { return hn::Load(tag, dy + n * lanes); }
    HWY_INLINE void advance() { dy += stride; }
  };

  template <std::size_t R>
  HWY_INLINE Left<R> left(std::size_t input) const {
    return {x + input, x_stride};
  }

  HWY_INLINE Right right(std::size_t t) const { return {dy + t * lanes, dy_stride}; }

  HWY_INLINE Vector start(std::size_t) const { return hn::Zero(tag); }

  template <std::size_t R, std::size_t N>
  HWY_INLINE void finish(const Sums<R, N>& sums, std::size_t input, std::size_t t) const {
    float* to = gradient + vector_offset(t, panel_step) + input * panel_width;
    for (std::size_t n = 0; n < N; ++n) {
      for (std::size_t r = 0; r < R; ++r) {
        hn::Store(sums.at[r][n], tag, to + vector_offset(n, panel_step) + r * panel_width);
      }
    }
  }
};

/// The sums of dy over all rows, the gradient of the bias: vectors from t on, N at a time. Returns the first that is
/// left over.
template <std::size_t N>
HWY_INLINE std::size_t sum_rows(const WeightProduct& product, std::size_t vectors, std::size_t t, float* bias) {
  for (; t + N <= vectors; t += N) {
    Vector sums[N];
    for (std::size_t n = 0; n < N; ++n) sums[n] = hn::Zero(tag);
    WeightProduct::Right dy = product.right(t);
    for (std::size_t row = 0; row < product.depth; ++row, dy.advance()) {
      for (std::size_t n = 0; n < N; ++n) sums[n] = hn::Add(sums[n], dy.vector(n));
    }
    for (std::size_t n = 0; n < N; ++n) hn::Store(sums[n], tag, bias + vector_offset(t + n, product.panel_step));
  }
  return t;
}

void dense_forward(const float* x, std::size_t x_stride, std::size_t rows, const float* panels, PanelShape shape,
                   const Activation* activation, float* y, std::size_t y_stride, float* slope) {
  RowProduct product{};
  product.depth = shape.in;
  product.rows = x;
  product.rows_stride = x_stride;
  product.panels = panels;
  product.panel_step = (shape.in + 1) * panel_width;
  product.bias = panels + shape.in * panel_width;
  product.result = y;
  product.result_stride = y_stride;
  product.slope = slope;
  if (activation != nullptr) {
    product.activation = *activation;
    product.ending = *activation == Activation::relu && slope == nullptr ? Ending::relu : Ending::activation;
  }
  const std::size_t vectors = vectors_of(shape.out);
  compute(product, rows, vectors);
  zero_vectors(y, y_stride, rows, vectors * lanes, padded(shape.out));
  if (slope != nullptr) zero_pads(slope, y_stride, rows, shape.out);
}

void dense_backward_input(const float* dy, std::size_t dy_stride, std::size_t rows, const float* transposed,
                          PanelShape shape, const Activation* activation, const float* x, const float* slope, float* dx,
                          std::size_t dx_stride) {
  RowProduct product{};
  product.depth = shape.out;
  product.rows = dy;
  product.rows_stride = dy_stride;
  product.panels = transposed;
  product.panel_step = shape.out * panel_width;
  product.result = dx;
  product.result_stride = dx_stride;
  if (activation != nullptr) {
    product.activation = *activation;
    product.ending = *activation == Activation::relu ? Ending::relu_slope : Ending::slope;
    product.below = needs_slope(*activation) ? slope : x;
  }
  const std::size_t vectors = vectors_of(shape.in);
  compute(product, rows, vectors);
  zero_vectors(dx, dx_stride, rows, vectors * lanes, padded(shape.in));
}

void dense_backward_weights(const float* x, std::size_t x_stride, const float* dy, std::size_t dy_stride,
                            std::size_t rows, PanelShape shape, float* gradient) {
  const std::size_t panel_step = (shape.in + 1) * panel_width;
  const WeightProduct product{rows, x, x_stride, dy, dy_stride, gradient, panel_step};
  const std::size_t vectors = vectors_of(shape.out);
  compute(product, shape.in, vectors);
  float* bias = gradient + shape.in * panel_width;
  sum_rows<1>(product, vectors, sum_rows<4>(product, vectors, sum_rows<8>(product, vectors, 0, bias), bias), bias);
  const std::size_t last_panel = padded(shape.out) - panel_width;
  zero_vectors(gradient + last_panel * (shape.in + 1), panel_width, shape.in + 1, vectors * lanes - last_panel,
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
                          PanelShape shape, const Activation* activation, const float* x, const float* slope, float* dx,
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
