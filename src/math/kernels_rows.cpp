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

/// Rows in double, and the same times their weights; a value that is left out is 1. Pads stay as they are.
template <class T>
HWY_INLINE void widen_rows(BasicMatrixView<T> rows, const double* weight, std::size_t cols, std::size_t width,
                           double* HWY_RESTRICT plain, double* HWY_RESTRICT weighted) {
  for (std::size_t i = 0; i < rows.rows(); ++i, plain += width, weighted += width) {
    const T* HWY_RESTRICT row = rows.row(i).data();
    for (std::size_t j = 0; j < rows.cols(); ++j) {
      plain[j] = static_cast<double>(row[j]);
      weighted[j] = weight[i] * static_cast<double>(row[j]);
    }
    if (rows.cols() == cols) continue;
    plain[cols - 1] = 1;
    weighted[cols - 1] = weight[i];
  }
}

void widen_floats(BasicMatrixView<float> rows, const double* weight, std::size_t cols, std::size_t width, double* plain,
                  double* weighted) {
  widen_rows(rows, weight, cols, width, plain, weighted);
}

void widen_doubles(MatrixView rows, const double* weight, std::size_t cols, std::size_t width, double* plain,
                   double* weighted) {
  widen_rows(rows, weight, cols, width, plain, weighted);
}

}  // namespace credens::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credens::math {

HWY_EXPORT(scale_rows);
HWY_EXPORT(add_gram_tiles);
HWY_EXPORT(widen_doubles);
HWY_EXPORT(widen_floats);

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

void widen(MatrixView rows, const double* weight, std::size_t cols, std::size_t width, double* plain,
           double* weighted) {
  HWY_DYNAMIC_DISPATCH(widen_doubles)(rows, weight, cols, width, plain, weighted);
}

void widen(BasicMatrixView<float> rows, const double* weight, std::size_t cols, std::size_t width, double* plain,
           double* weighted) {
  HWY_DYNAMIC_DISPATCH(widen_floats)(rows, weight, cols, width, plain, weighted);
}

}  // namespace

GramSum::GramSum(std::size_t cols)
    : cols_(cols),
      width_(gram_width(cols)),
      sum_(width_ * width_),
      plain_(gram_rows * width_),
      weighted_(gram_rows * width_) {}

GramSum::GramSum(const Matrix& start) : GramSum(start.cols()) {
  for (std::size_t i = 0; i < cols_; ++i) std::ranges::copy(start.row(i), sum_.data() + i * width_);
}

template <class T>
void GramSum::add_rows(BasicMatrixView<T> rows, std::span<const double> weight) {
  for (std::size_t first = 0; first < rows.rows(); first += gram_rows) {
    const std::size_t count = std::min(gram_rows, rows.rows() - first);
    widen(rows.row_block(first, count), weight.data() + first, cols_, width_, plain_.data(), weighted_.data());
    HWY_DYNAMIC_DISPATCH(add_gram_tiles)(weighted_.data(), plain_.data(), width_, count, sum_.data());
  }
}

void GramSum::add(MatrixView rows, std::span<const double> weight) {
  add_rows(rows, weight);
}

void GramSum::add(BasicMatrixView<float> rows, std::span<const double> weight) {
  add_rows(rows, weight);
}

Matrix GramSum::value() const {
  Matrix gram(cols_, cols_);
  for (std::size_t i = 0; i < cols_; ++i) {
    for (std::size_t j = 0; j <= i; ++j) gram(i, j) = gram(j, i) = sum_[i * width_ + j];
  }
  return gram;
}

void add_weighted_gram(MatrixView rows, std::span<const double> weight, Matrix& gram) {
  GramSum sum(gram);
  sum.add(rows, weight);
  gram = sum.value();
}

}  // namespace credens::math
#endif
