// SPDX-License-Identifier: Apache-2.0
//
// Small triangular matrices, row by row in vectors.

#pragma once

#include <cstddef>

namespace credens::math {

// Rows of the first two functions lie `stride` doubles apart, a multiple of 8 and at least the size; what lies below
// the diagonal or past the size is read and overwritten.

/// U with A = U^T U in place of A, of which the upper triangle is read. False where U_kk^2, which is what is left of
/// A_kk, is not above least_pivot[k].
bool factor_upper(double* a, const double* least_pivot, std::size_t size, std::size_t stride);

/// S = U^-1, upper triangular; zero below the diagonal.
void invert_upper(const double* u, double* s, std::size_t size, std::size_t stride);

/// y_j = sum_{i <= j} x_i S_ij for upper triangular S and columns j = first, ..., first + 15. Products are rounded
/// before they are added, row by row: all targets and plain loops give the same bits.
void columns_through(const double* s, std::size_t stride, const double* x, std::size_t first, double* y);
constexpr std::size_t columns_of_product = 16;

}  // namespace credens::math
