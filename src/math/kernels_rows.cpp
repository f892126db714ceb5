// SPDX-License-Identifier: Apache-2.0
//
// Rows in double on their way into networks and out of them: scaled to float, and summed up as x x^T.

#include "math/kernels_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/kernels_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "math/kernels.hpp"
#include "math/linalg.hpp"

HWY_BEFORE_NAMESPACE();
namespace credens::math::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, 8>;
using DoubleVector = hn::Vec<Doubles>;
constexpr Doubles doubles;
constexpr std::size_t double_lanes = hn::MaxLanes(Doubles());

/// One row; whether all |z| are within the limit, which NaN is not.
HWY_INLINE bool scale_row(const double* values, const RowScale& scale, std::size_t cols, float* out) {
  const hn::Rebind<float, Doubles> floats;
  const DoubleVector limit = hn::Set(doubles, scale.limit);
  std::size_t j = 0;
  for (; j + double_lanes <= cols; j += double_lanes) {
    const DoubleVector shifted = hn::Sub(hn::LoadU(doubles, values + j), hn::LoadU(doubles, scale.shift + j));
    const DoubleVector z = hn::Div(shifted, hn::LoadU(doubles, scale.scale + j));
    if (!hn::AllTrue(doubles, hn::Le(hn::Abs(z), limit))) return false;
    hn::StoreU(hn::DemoteTo(floats, z), floats, out + j);
  }
  for (; j < cols; ++j) {
    const double z = (values[j] - scale.shift[j]) / scale.scale[j];
    if (!(std::abs(z) <= scale.limit)) return false;
    out[j] = static_cast<float>(z);
  }
  return true;
}

bool scale_rows(const RowScale& scale, const double* values, std::size_t values_stride, std::size_t rows,
                std::size_t cols, float* out, std::size_t out_stride) {
  for (std::size_t row = 0; row < rows; ++row, values += values_stride, out += out_stride) {
    if (!scale_row(values, scale, cols, out)) return false;
    std::fill(out + cols, out + out_stride, 0.0F);
  }
  return true;
}

constexpr std::size_t tile_rows = 4;
constexpr std::size_t tile_vectors = 2;
constexpr std::size_t tile_cols = tile_vectors * double_lanes;

/// Entries [i, i + 4) x [j, j + tile_cols) of the sum; `a` are the weighted rows, `b` the rows, both `stride` apart.
HWY_INLINE void add_gram_tile(const double* a, const double* b, std::size_t stride, std::size_t rows, double* sum,
                              std::size_t sum_stride) {
  DoubleVector at[tile_rows][tile_vectors];
  for (std::size_t r = 0; r < tile_rows; ++r) {
    for (std::size_t n = 0; n < tile_vectors; ++n)
      at[r][n] = hn::LoadU(doubles, sum + r * sum_stride + n * double_lanes);
  }
  for (std::size_t row = 0; row < rows; ++row, a += stride, b += stride) {
    DoubleVector columns[tile_vectors];
    for (std::size_t n = 0; n < tile_vectors; ++n) columns[n] = hn::LoadU(doubles, b + n * double_lanes);
    for (std::size_t r = 0; r < tile_rows; ++r) {
      const DoubleVector value = hn::Set(doubles, a[r]);
      for (std::size_t n = 0; n < tile_vectors; ++n) at[r][n] = hn::MulAdd(value, columns[n], at[r][n]);
    }
  }
  for (std::size_t r = 0; r < tile_rows; ++r) {
    for (std::size_t n = 0; n < tile_vectors; ++n)
      hn::StoreU(at[r][n], doubles, sum + r * sum_stride + n * double_lanes);
  }
}

void add_gram_tiles(const double* a, const double* b, std::size_t width, std::size_t rows, double* sum) {
  for (std::size_t i = 0; i < width; i += tile_rows) {
    for (std::size_t j = 0; j < i + tile_rows; j += tile_cols) {
      add_gram_tile(a + i, b + j, width, rows, sum + i * width + j, width);
    }
  }
}

}  // namespace credens::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credens::math {

HWY_EXPORT(scale_rows);
HWY_EXPORT(add_gram_tiles);

bool scale_rows(const RowScale& scale, const double* values, std::size_t values_stride, std::size_t rows,
                std::size_t cols, float* out, std::size_t out_stride) {
  return HWY_DYNAMIC_DISPATCH(scale_rows)(scale, values, values_stride, rows, cols, out, out_stride);
}

namespace {

/// Rows whose copies stay in the nearest caches.
constexpr std::size_t gram_rows = 64;

/// A multiple of every tile.
std::size_t gram_width(std::size_t cols) {
  return (cols + 15) / 16 * 16;
}

}  // namespace

void add_weighted_gram(MatrixView rows, std::span<const double> weight, Matrix& gram) {
  const std::size_t cols = rows.cols();
  const std::size_t width = gram_width(cols);
  std::vector<double> plain(gram_rows * width);
  std::vector<double> weighted(gram_rows * width);
  std::vector<double> sum(width * width);
  for (std::size_t i = 0; i < cols; ++i)
    std::ranges::copy(gram.row(i), sum.begin() + static_cast<std::ptrdiff_t>(i * width));
  for (std::size_t first = 0; first < rows.rows(); first += gram_rows) {
    const std::size_t count = std::min(gram_rows, rows.rows() - first);
    for (std::size_t i = 0; i < count; ++i) {
      const double* row = rows.row(first + i).data();
      for (std::size_t j = 0; j < cols; ++j) {
        plain[i * width + j] = row[j];
        weighted[i * width + j] = weight[first + i] * row[j];
      }
    }
    HWY_DYNAMIC_DISPATCH(add_gram_tiles)(weighted.data(), plain.data(), width, count, sum.data());
  }
  for (std::size_t i = 0; i < cols; ++i) {
    for (std::size_t j = 0; j <= i; ++j) gram(i, j) = gram(j, i) = sum[i * width + j];
  }
}

}  // namespace credens::math
#endif
