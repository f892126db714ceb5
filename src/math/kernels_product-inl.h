// SPDX-License-Identifier: Apache-2.0
//
// The one matrix product behind the three of a dense layer: C = S + A B, tile by tile in registers.
//
// Letters: A [rows x depth] is read one float at a time, B [depth x columns] one vector at a time, S is what the sums
// start from, r a row of a tile, n a vector of columns of a tile, t a vector of columns of C. A tile has R rows and N
// vectors: R N independent chains of fused multiply-adds, at least 8 to keep two units with a latency of 4 busy, at
// most 12 to leave registers for A and B.
//
// Each sum runs along the depth in one chain, whatever the tile: unrolling repeats steps, it never splits a sum.
//
// A Product has `depth` and says what sums of column t start from (`start`) and what becomes of them (`finish`).
// `left<R>(row)` and `right(t)` are cursors along the depth: `value(r)` and `vector(n)` read at the place where they
// are, `advance` takes the next.

#if defined(CREDENS_MATH_KERNELS_PRODUCT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDENS_MATH_KERNELS_PRODUCT_INL_H
#undef CREDENS_MATH_KERNELS_PRODUCT_INL_H
#else
#define CREDENS_MATH_KERNELS_PRODUCT_INL_H
#endif

#include "math/kernels_vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace credens::math::HWY_NAMESPACE {

/// Without vector registers nothing is gained by many chains: the fallback keeps its code short.
constexpr bool has_vectors = HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128;

/// The sums of one tile.
template <std::size_t R, std::size_t N>
struct Sums {
  Vector at[R][N];
};

/// Offset of vector t in a matrix of panels `panel_step` apart. Tiles begin at multiples of N, so that it also gives
/// the place of vector n relative to the first of a tile.
constexpr std::size_t vector_offset(std::size_t t, std::size_t panel_step) {
  return t / vectors_per_panel * panel_step + t % vectors_per_panel * lanes;
}

/// Says that both factors of a sum are needed after it, and makes no instruction. Without this g++ 12 lets products
/// overwrite their factors, which costs moves, and spills in tiles of 12 chains: 10 % of the speed.
HWY_INLINE void keep_factors([[maybe_unused]] Vector& sum, [[maybe_unused]] Vector value,
                             [[maybe_unused]] Vector column) {
#if HWY_ARCH_X86 && HWY_COMPILER_GCC_ACTUAL && HWY_TARGET != HWY_EMU128
  asm volatile("" : "+v"(sum.raw) : "v"(value.raw), "v"(column.raw));
#endif
}

/// One step along the depth for all sums of a tile.
template <std::size_t R, std::size_t N, class Left, class Right>
HWY_INLINE void accumulate(Left& left, Right& right, Sums<R, N>& sums) {
  Vector columns[N];
  for (std::size_t n = 0; n < N; ++n) columns[n] = right.vector(n);
  for (std::size_t r = 0; r < R; ++r) {
    const Vector value = left.value(r);
    for (std::size_t n = 0; n < N; ++n) {
      sums.at[r][n] = hn::MulAdd(value, columns[n], sums.at[r][n]);
      if constexpr (R > 1) keep_factors(sums.at[r][n], value, columns[n]);
    }
  }
  left.advance();
  right.advance();
}

template <std::size_t R, std::size_t N, class Product>
HWY_INLINE void compute_tile(const Product& product, std::size_t row, std::size_t t) {
  Sums<R, N> sums;
  for (std::size_t n = 0; n < N; ++n) {
    const Vector start = product.start(t + n);
    for (std::size_t r = 0; r < R; ++r) sums.at[r][n] = start;
  }
  auto left = product.template left<R>(row);
  auto right = product.right(t);
  std::size_t k = product.depth;
  for (; k >= 4; k -= 4) {
    accumulate(left, right, sums);
    accumulate(left, right, sums);
    accumulate(left, right, sums);
    accumulate(left, right, sums);
  }
  for (; k > 0; --k) accumulate(left, right, sums);
  product.finish(sums, row, t);
}

/// Tiles at `row`, row + R, ... over the vectors [t, end). The product comes by value: a copy of which no store can
/// change anything.
template <std::size_t R, std::size_t N, class Product>
HWY_NOINLINE void compute_tiles(const Product product, std::size_t row, std::size_t tiles, std::size_t t,
                                std::size_t end) {
  for (; t < end; t += N) {
    for (std::size_t tile = 0; tile < tiles; ++tile) compute_tile<R, N>(product, row + tile * R, t);
  }
}

/// compute_tiles for a number of rows per tile that is known at run time only: R or fewer.
template <std::size_t R, std::size_t N, class Product>
HWY_INLINE void compute_tiles_of(std::size_t height, const Product& product, std::size_t row, std::size_t tiles,
                                 std::size_t t, std::size_t end) {
  if (height == R) return compute_tiles<R, N>(product, row, tiles, t, end);
  if constexpr (R > 1) compute_tiles_of<R - 1, N>(height, product, row, tiles, t, end);
}

/// Most sums per tile: with the vectors of one step along the depth they fill sixteen registers.
constexpr std::size_t most_chains = 12;

/// All rows of the vectors [t, end), in tiles whose heights differ by one at most, so that none has too few chains.
template <std::size_t N, class Product>
HWY_INLINE void compute_columns(const Product& product, std::size_t rows, std::size_t t, std::size_t end) {
  constexpr std::size_t tallest = has_vectors ? std::min<std::size_t>(most_chains / N, 8) : 1;
  const std::size_t tiles = (rows + tallest - 1) / tallest;
  const std::size_t height = rows / tiles;
  const std::size_t taller = rows % tiles;
  if (taller > 0) compute_tiles_of<tallest, N>(height + 1, product, 0, taller, t, end);
  compute_tiles_of<tallest, N>(height, product, taller * (height + 1), tiles - taller, t, end);
}

/// Vectors from t on, in tiles of N; what is left over in narrower ones.
template <std::size_t N, class Product>
HWY_INLINE void compute_from(const Product& product, std::size_t rows, std::size_t vectors, std::size_t t) {
  const std::size_t end = t + (vectors - t) / N * N;
  if (end > t) compute_columns<N>(product, rows, t, end);
  if constexpr (N > 1) compute_from<N / 2>(product, rows, vectors, end);
}

/// The whole product. Where rows are few, wide tiles make up for it.
template <class Product>
HWY_INLINE void compute(const Product& product, std::size_t rows, std::size_t vectors) {
  if (rows == 0) return;
  if (rows == 1) return compute_from < has_vectors ? 8 : 2 > (product, rows, vectors, 0);
  if (rows == 2) return compute_from < has_vectors ? 4 : 2 > (product, rows, vectors, 0);
  compute_from<2>(product, rows, vectors, 0);
}

}  // namespace credens::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
