// SPDX-License-Identifier: Apache-2.0
//
// The one matrix product behind the three of a dense layer: C = S + A B, tile by tile in registers.
//
// Letters: A [rows x depth] is read one float at a time, B [depth x columns] one vector at a time, S is what the sums
// start from, r a row, k a step along the depth, t a vector of columns. A tile is R rows by N vectors with R N <= 12:
// twelve independent chains of fused multiply-adds keep two FMA units busy, and with two vectors of B and one float of
// A they fill sixteen registers.
//
// Each sum runs over k = 0, 1, ... in one chain, whatever the tile: unrolling repeats steps, it never splits a sum.

#if defined(CREDENS_MATH_KERNELS_PRODUCT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDENS_MATH_KERNELS_PRODUCT_INL_H
#undef CREDENS_MATH_KERNELS_PRODUCT_INL_H
#else
#define CREDENS_MATH_KERNELS_PRODUCT_INL_H
#endif

#include "math/kernels_vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace credens::math::HWY_NAMESPACE {

constexpr std::size_t accumulators = 12;

/// The sums of one tile.
template <std::size_t R, std::size_t N>
struct Sums {
  Vector at[R][N];
};

/// Where vector n of a tile lies relative to the tile's first: within a panel, or in one of the next panels.
constexpr std::size_t vector_offset(std::size_t n, std::size_t panel_step) {
  return n / vectors_per_panel * panel_step + n % vectors_per_panel * lanes;
}

/// One step along the depth for all sums of a tile.
template <std::size_t R, std::size_t N, class Product>
HWY_INLINE void accumulate(const Product& product, const float* HWY_RESTRICT left, const float* HWY_RESTRICT right,
                           Sums<R, N>& sums) {
  Vector columns[N];
  for (std::size_t n = 0; n < N; ++n) columns[n] = hn::Load(tag, right + vector_offset(n, product.right_panel_step()));
  for (std::size_t r = 0; r < R; ++r) {
    const Vector value = product.left_value(left + r * product.left_row_step());
    for (std::size_t n = 0; n < N; ++n) sums.at[r][n] = hn::MulAdd(value, columns[n], sums.at[r][n]);
  }
}

template <std::size_t R, std::size_t N, class Product>
HWY_INLINE void compute_tile(const Product& product, std::size_t row, std::size_t vector) {
  Sums<R, N> sums;
  for (std::size_t n = 0; n < N; ++n) {
    const Vector start = product.start(vector + n);
    for (std::size_t r = 0; r < R; ++r) sums.at[r][n] = start;
  }
  const float* left = product.left(row);
  const float* right = product.right(vector);
  const std::size_t left_step = product.left_depth_step();
  const std::size_t right_step = product.right_depth_step();
  std::size_t k = product.depth();
  for (; k >= 4; k -= 4) {
    accumulate(product, left, right, sums);
    accumulate(product, left + left_step, right + right_step, sums);
    accumulate(product, left + 2 * left_step, right + 2 * right_step, sums);
    accumulate(product, left + 3 * left_step, right + 3 * right_step, sums);
    left += 4 * left_step;
    right += 4 * right_step;
  }
  for (; k > 0; --k) {
    accumulate(product, left, right, sums);
    left += left_step;
    right += right_step;
  }
  product.finish(sums, row, vector);
}

/// `tiles` tiles below each other, the first at `row`.
template <std::size_t R, std::size_t N, class Product>
HWY_NOINLINE void compute_tiles(const Product& product, std::size_t row, std::size_t tiles, std::size_t vector) {
  for (; tiles > 0; --tiles, row += R) compute_tile<R, N>(product, row, vector);
}

/// The same for a number of rows per tile that is known at run time only.
template <std::size_t R, std::size_t N, class Product>
HWY_INLINE void compute_tiles_of(std::size_t tile_rows, const Product& product, std::size_t row, std::size_t tiles,
                                 std::size_t vector) {
  if (tile_rows == R) return compute_tiles<R, N>(product, row, tiles, vector);
  if constexpr (R > 1) compute_tiles_of<R - 1, N>(tile_rows, product, row, tiles, vector);
}

/// All rows of N vectors of columns, in tiles whose heights differ by one at most, so that none has too few chains.
template <std::size_t N, class Product>
HWY_INLINE void compute_column(const Product& product, std::size_t rows, std::size_t vector) {
  constexpr std::size_t tallest = std::min<std::size_t>(accumulators / N, 8);
  const std::size_t tiles = (rows + tallest - 1) / tallest;
  const std::size_t height = rows / tiles;
  const std::size_t taller = rows % tiles;
  if (taller > 0) compute_tiles_of<tallest, N>(height + 1, product, 0, taller, vector);
  compute_tiles_of<tallest, N>(height, product, taller * (height + 1), tiles - taller, vector);
}

/// Columns [vector, vectors) in steps of N vectors; what is left over in half as wide steps.
template <std::size_t N, class Product>
HWY_INLINE void compute_columns(const Product& product, std::size_t rows, std::size_t vectors, std::size_t vector) {
  for (; vector + N <= vectors; vector += N) compute_column<N>(product, rows, vector);
  if constexpr (N > 1) compute_columns<N / 2>(product, rows, vectors, vector);
}

/// The whole product. Few rows are made up for by wide tiles: chains are what counts.
template <class Product>
HWY_INLINE void compute(const Product& product, std::size_t rows, std::size_t vectors) {
  if (rows == 0) return;
  if (rows == 1) return compute_columns<8>(product, rows, vectors, 0);
  if (rows <= 3) return compute_columns<4>(product, rows, vectors, 0);
  compute_columns<2>(product, rows, vectors, 0);
}

}  // namespace credens::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
