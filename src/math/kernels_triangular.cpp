// SPDX-License-Identifier: Apache-2.0
//
// Letters: k the row that is subtracted, i the row it is subtracted from, j columns.

#include "math/kernels_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/kernels_triangular.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "math/triangular.hpp"

HWY_BEFORE_NAMESPACE();
namespace credens::math::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Columns = hn::CappedTag<double, 8>;
constexpr Columns columns;
constexpr std::size_t columns_at_once = hn::MaxLanes(Columns());

/// to -= factor from, from the vector that holds column `first` on.
HWY_INLINE void subtract_row(double factor, const double* from, std::size_t first, std::size_t size, double* to) {
  const auto factors = hn::Set(columns, factor);
  for (std::size_t j = first / columns_at_once * columns_at_once; j < size; j += columns_at_once) {
    const auto difference = hn::NegMulAdd(factors, hn::LoadU(columns, from + j), hn::LoadU(columns, to + j));
    hn::StoreU(difference, columns, to + j);
  }
}

HWY_INLINE void divide_row(double divisor, std::size_t first, std::size_t size, double* row) {
  const auto divisors = hn::Set(columns, divisor);
  for (std::size_t j = first / columns_at_once * columns_at_once; j < size; j += columns_at_once) {
    hn::StoreU(hn::Div(hn::LoadU(columns, row + j), divisors), columns, row + j);
  }
}

bool factor_upper(double* a, const double* least_pivot, std::size_t size, std::size_t stride) {
  for (std::size_t k = 0; k < size; ++k) {
    double* row = a + k * stride;
    const double root = std::sqrt(row[k]);
    if (!(row[k] > least_pivot[k] && std::isfinite(root))) return false;
    divide_row(root, k, size, row);
    for (std::size_t i = k + 1; i < size; ++i) subtract_row(row[i], row, i, size, a + i * stride);
  }
  return true;
}

void invert_upper(const double* u, double* s, std::size_t size, std::size_t stride) {
  for (std::size_t i = size; i-- > 0;) {
    double* row = s + i * stride;
    std::fill(row, row + stride, 0.0);
    row[i] = 1;
    for (std::size_t k = i + 1; k < size; ++k) subtract_row(u[i * stride + k], s + k * stride, k, size, row);
    divide_row(u[i * stride + i], i, size, row);
  }
}

void columns_through(const double* s, std::size_t stride, const double* x, std::size_t first, double* y) {
  constexpr std::size_t vectors = columns_of_product / columns_at_once;
  const auto lane = hn::Iota(columns, 0);
  hn::Vec<Columns> sums[vectors];
  for (auto& sum : sums) sum = hn::Zero(columns);
  for (std::size_t i = 0; i < first; ++i) {
    const auto value = hn::Set(columns, x[i]);
    for (std::size_t v = 0; v < vectors; ++v) {
      const auto row = hn::LoadU(columns, s + i * stride + first + v * columns_at_once);
      sums[v] = hn::Add(sums[v], hn::Mul(value, row));
    }
  }
  for (std::size_t t = 0; t < columns_of_product; ++t) {
    const auto value = hn::Set(columns, x[first + t]);
    const std::size_t on_diagonal = t / columns_at_once;
    for (std::size_t v = on_diagonal; v < vectors; ++v) {
      const auto row = hn::LoadU(columns, s + (first + t) * stride + first + v * columns_at_once);
      const auto product = hn::Mul(value, row);
      const auto is_above = hn::Ge(lane, hn::Set(columns, static_cast<double>(t % columns_at_once)));
      sums[v] = hn::Add(sums[v], v > on_diagonal ? product : hn::IfThenElseZero(is_above, product));
    }
  }
  for (std::size_t v = 0; v < vectors; ++v) hn::StoreU(sums[v], columns, y + v * columns_at_once);
}

}  // namespace credens::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credens::math {

HWY_EXPORT(factor_upper);
HWY_EXPORT(invert_upper);
HWY_EXPORT(columns_through);

bool factor_upper(double* a, const double* least_pivot, std::size_t size, std::size_t stride) {
  return HWY_DYNAMIC_DISPATCH(factor_upper)(a, least_pivot, size, stride);
}

void invert_upper(const double* u, double* s, std::size_t size, std::size_t stride) {
  HWY_DYNAMIC_DISPATCH(invert_upper)(u, s, size, stride);
}

void columns_through(const double* s, std::size_t stride, const double* x, std::size_t first, double* y) {
  HWY_DYNAMIC_DISPATCH(columns_through)(s, stride, x, first, y);
}

}  // namespace credens::math
#endif
