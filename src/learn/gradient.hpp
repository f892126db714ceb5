// SPDX-License-Identifier: Apache-2.0
//
// The fast path: loss and gradient of a minibatch through the kernels, without allocation.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "learn/training_set.hpp"
#include "model/mlp.hpp"

namespace credens::learn {

/// Buffers for one network shape and batches of up to `batch` rows.
class GradientPass {
 public:
  GradientPass(const model::MlpShape& shape, std::size_t batch);

  /// The mean of u_i l_i over the batch (rows order[0..count)), and its gradient, without the prior, in the parameters' layout.
  double run(const model::Mlp& network, const TrainingSet& data, std::span<const std::uint32_t> order);

  std::span<const float> gradient() const { return gradient_; }

 private:
  // activations, slopes, deltas, gathered rows, transposed weights ... as the implementation needs
  base::AlignedVector<float> gradient_;
};

/// The weighted mean of l_i over all rows, in double statistics: no gradient. Used for divergence checks and early stopping.
double mean_loss(const model::Mlp& network, const TrainingSet& data);

}  // namespace credens::learn
