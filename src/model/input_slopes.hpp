// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of what members say of a row by the row's inputs: through scaler and asinh transform, embedding, hidden
// layers and heads.

#pragma once

#include <credens/matrix.hpp>

#include <memory>
#include <vector>

#include "base/aligned.hpp"
#include "model/ensemble_state.hpp"

namespace credens::model {

/// By input j, in column j; row i q + k is output k at row i. Words and dates have slope 0, and so have missing cells.
struct InputSlopes {
  Matrix mean;  ///< [n q x d]: of the mean, in units of the output by units of the input
  Matrix
      log_variance;  ///< [n q x d]: of the logarithm of the learned noise variance; 0 where noise is constant or known
};

/// For one thread, in memory that is kept from call to call.
class SlopeReader {
 public:
  explicit SlopeReader(const EnsembleState& state);  ///< with networks; must outlive this
  ~SlopeReader();

  /// Goes to `inputs` [n x d], at most forward_rows of them; the view must outlive its use. Throws data for values out
  /// of range.
  void take(MatrixView inputs);

  /// The slopes of member l there; valid until the next call.
  const InputSlopes& member(std::size_t l);

 private:
  class Pass;

  const EnsembleState& state_;
  std::vector<std::unique_ptr<Pass>> passes_;  ///< one for each member
  MatrixView inputs_;
  base::AlignedVector<float> encoded_;
  std::size_t stride_ = 0;
  Matrix input_scale_;  ///< [n x d]: derivative of what networks see by the input
  InputSlopes slopes_;
};

}  // namespace credens::model
