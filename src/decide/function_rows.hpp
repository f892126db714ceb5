// SPDX-License-Identifier: Apache-2.0
//
// The regression function at rows, in coordinates: f = mean + psi^T z with z ~ N(0, I), so that psi_a^T psi_b is the
// epistemic covariance of rows a and b (docs/method.md).
//
// Letters: n rows, q outputs, L members, D coordinates: one for each member, then those of their last layers.

#pragma once

#include <credens/matrix.hpp>

#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "model/member_source.hpp"

namespace credens::decide {

/// In network units.
struct FunctionRows {
  Matrix mean;                                          ///< [n x q]
  Matrix noise;                                         ///< [n x q]: aleatoric variance
  std::size_t stride = 0;                               ///< floats of a row, a multiple of 16, pads zero
  std::vector<base::AlignedVector<float>> coordinates;  ///< q of [n x stride]

  std::size_t rows() const { return mean.rows(); }
  std::size_t outputs() const { return mean.cols(); }
  std::span<const float> row(std::size_t index, std::size_t output) const {
    return std::span(coordinates[output]).subspan(index * stride, stride);
  }
};

/// Floats of a row of one output.
std::size_t function_stride(const model::EnsembleState& state);

FunctionRows function_rows(const model::EnsembleState& state, const model::MemberSource& source, int threads);

/// x^T y, in double.
double dot(std::span<const float> x, std::span<const double> y);

}  // namespace credens::decide
