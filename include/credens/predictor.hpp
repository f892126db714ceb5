// SPDX-License-Identifier: Apache-2.0
//
// Predictions a few rows at a time, as often as one likes, without allocating: for loops that cannot wait.

#pragma once

#include <credens/ensemble.hpp>

#include <memory>
#include <span>

namespace credens {

/// One output at one row, in the units of the data. The total variance is the sum of the two.
struct RowMoments {
  double mean = 0;
  double aleatoric_variance = 0;
  double epistemic_variance = 0;
};

/// Gives the bits of Ensemble::predict. For one thread: others have predictors of their own.
class Predictor {
 public:
  explicit Predictor(Ensemble ensemble);  ///< throws usage for a model without networks, or of classes
  ~Predictor();
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) noexcept;

  /// At one row of d inputs, with q known standard deviations of its noise or none: one value per output, valid until
  /// the next call.
  std::span<const RowMoments> predict(std::span<const double> inputs, std::span<const double> noise_std = {});

  /// Every member at `inputs` [n x d], with `noise_std` [n x q] or empty; valid until the next call. Allocates only
  /// where there were never as many rows before.
  const MixtureComponents& components(MatrixView inputs, MatrixView noise_std = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace credens
