// SPDX-License-Identifier: Apache-2.0
//
// Small triangular matrices, row by row in vectors. Rows lie `stride` doubles apart, a multiple of 8 and at least the
// size; what lies below the diagonal or past the size is read and overwritten.

#pragma once

#include <cstddef>

namespace credens::math {

/// U with A = U^T U in place of A, of which the upper triangle is read. False where U_kk^2, which is what is left of
/// A_kk, is not above least_pivot[k].
bool factor_upper(double* a, const double* least_pivot, std::size_t size, std::size_t stride);

/// S = U^-1, upper triangular; zero below the diagonal.
void invert_upper(const double* u, double* s, std::size_t size, std::size_t stride);

}  // namespace credens::math
