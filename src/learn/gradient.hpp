// SPDX-License-Identifier: Apache-2.0
//
// The fast path: loss and gradient of a minibatch through the kernels, without allocation.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "learn/adam.hpp"
#include "learn/loss.hpp"
#include "learn/training_rows.hpp"
#include "model/mlp.hpp"

namespace credens::learn {

/// Buffers for one network shape and batches of up to `batch` rows.
class GradientPass {
 public:
  GradientPass(const model::MlpShape& shape, std::size_t batch, double loss_beta = 0);

  /// The mean of u_i l_i over the batch (rows order[0..count)), and its gradient, without the prior, in the parameters'
  /// layout.
  double run(const model::Mlp& network, const BackwardWeights& transposed, const TrainingSet& data,
             std::span<const std::uint32_t> order);

  std::span<const float> gradient() const { return gradient_; }

  /// Rows of the network's tables, one table after the other, that a row of a batch has used.
  const std::vector<bool>& used_rows() const { return used_rows_; }

 private:
  /// One layer's buffers, [batch x stride] each.
  struct Layer {
    math::PanelShape panel;
    std::size_t stride;                 ///< row_stride(out)
    base::AlignedVector<float> output;  ///< f(z)
    base::AlignedVector<float> slope;   ///< f'(z), for activations whose slope does not follow from the output
    base::AlignedVector<float> delta;   ///< dl/dz

    float* slope_data() { return slope.empty() ? nullptr : slope.data(); }
  };

  void forward(const model::Mlp& network, std::size_t rows);
  void backward(const model::Mlp& network, const BackwardWeights& transposed, std::size_t rows);
  void backward_embedding(const model::Mlp& network, const BackwardWeights& transposed, std::size_t rows);
  void backward_tables(const model::Mlp& network, std::size_t rows);
  const float* input_of(std::size_t layer) const {
    if (layer > 0) return layers_[layer - 1].output.data();
    return embedding_.empty() ? inputs_.data() : embedding_.data();
  }
  std::size_t input_stride_of(std::size_t layer) const {
    return layer == 0 ? first_stride_ : layers_[layer - 1].stride;
  }

  std::size_t input_stride_;
  std::size_t first_stride_;                    ///< of what enters the first layer
  base::AlignedVector<float> inputs_;           ///< the batch's rows, gathered
  base::AlignedVector<float> embedding_;        ///< u, or nothing
  base::AlignedVector<float> embedding_delta_;  ///< dl/du
  std::vector<bool> used_rows_;
  std::vector<Layer> layers_;
  std::unique_ptr<BatchLoss> loss_;
  base::AlignedVector<float> gradient_;
};

/// sum_i u_i l_i and sum_i u_i.
struct LossSum {
  double loss = 0;
  double weight = 0;

  void add(const LossSum& other) {
    loss += other.loss;
    weight += other.weight;
  }
  double mean() const { return loss / weight; }
};

/// Adds some rows of `data`.
void add_loss(const model::Mlp& network, const TrainingSet& data, std::span<const std::uint32_t> rows, LossSum& sum);

/// The weighted mean of l_i over all rows, or over different ones, in double statistics: no gradient. Used for
/// divergence checks and early stopping.
double mean_loss(const model::Mlp& network, const TrainingSet& data);
double mean_loss(const model::Mlp& network, const TrainingSet& data, std::span<const std::uint32_t> rows);

}  // namespace credens::learn
