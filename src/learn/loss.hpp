// SPDX-License-Identifier: Apache-2.0
//
// The loss of a minibatch, from the head's outputs to its deltas. The tests have it row by row in plain loops.
//
// Letters: row i of n, weight u_i. Gaussian noise: output k, mean m, target y, variance v = f(raw) + floor + known,
// l = 1/2 sum_k [(m - y)^2 / v + log v]. Classes: logits z, shares t of the classes, l = log sum_c e^z_c - t^T z.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "learn/training_rows.hpp"
#include "model/mlp.hpp"

namespace credens::learn {

class BatchLoss {
 public:
  BatchLoss() = default;
  BatchLoss(const BatchLoss&) = delete;
  BatchLoss& operator=(const BatchLoss&) = delete;
  virtual ~BatchLoss() = default;

  /// (1 / n) sum_i u_i l_i over the rows `order` of `data`, whose head outputs are `head` [n x stride]. Writes its
  /// derivative by the head's units into `delta` [n x stride], pads untouched, and that by the raw values of constant
  /// noise into `constant_noise_gradient` [q], or nothing.
  virtual double run(const model::Mlp& network, const TrainingSet& data, std::span<const std::uint32_t> order,
                     const float* head, std::size_t stride, float* delta, std::span<float> constant_noise_gradient) = 0;
};

/// Buffers for one network shape and batches of up to `batch` rows. `beta` as in GaussianBatchLoss.
std::unique_ptr<BatchLoss> make_loss(const model::MlpShape& shape, std::size_t batch, double beta = 0);

class GaussianBatchLoss final : public BatchLoss {
 public:
  /// With `beta` > 0 each l_ik counts v_ik^beta times, v_ik held fixed (Seitzer et al. 2022): rows that seem noisy keep
  /// their pull on the mean.
  GaussianBatchLoss(const model::MlpShape& shape, std::size_t batch, double beta = 0);

  double run(const model::Mlp& network, const TrainingSet& data, std::span<const std::uint32_t> order,
             const float* head, std::size_t stride, float* delta, std::span<float> constant_noise_gradient) override;

 private:
  void find_learned_noise(const model::Mlp& network, const float* head, std::size_t stride, std::size_t rows);
  void gather_row(const TrainingSet& data, std::size_t row, std::size_t i, float scale, const float* means);
  void write_delta(float* delta, std::size_t stride, std::size_t rows);
  void write_noise_delta(float* delta, std::size_t stride, std::size_t rows,
                         std::span<float> constant_noise_gradient) const;

  /// Index of the raw noise value of row i and output k: shared noise has one per row, per-output noise q per row,
  /// constant noise q in all.
  std::size_t raw_at(std::size_t i, std::size_t k) const { return i * row_step_ + k * output_step_; }

  float beta_;
  NoiseKind noise_;
  NoiseLink link_;
  std::size_t outputs_;
  std::size_t row_step_;
  std::size_t output_step_;
  base::AlignedVector<float> raw_;
  base::AlignedVector<float> learned_;  ///< f(raw) + floor
  base::AlignedVector<float> slope_;    ///< f'(raw)
  std::vector<double> raw_delta_;

  // [n x q], row by row.
  base::AlignedVector<float> mean_;
  base::AlignedVector<float> target_;
  base::AlignedVector<float> variance_;
  base::AlignedVector<float> scale_;
  base::AlignedVector<float> loss_;
  base::AlignedVector<float> mean_delta_;
  base::AlignedVector<float> variance_delta_;
};

/// Targets are numbers of classes, or one share per class.
class SoftmaxBatchLoss final : public BatchLoss {
 public:
  SoftmaxBatchLoss(const model::MlpShape& shape, std::size_t batch);

  double run(const model::Mlp& network, const TrainingSet& data, std::span<const std::uint32_t> order,
             const float* head, std::size_t stride, float* delta, std::span<float> constant_noise_gradient) override;

 private:
  bool find_exponentials(const float* head, std::size_t stride, std::size_t rows);
  double write_delta(std::size_t i, std::span<const float> target, const float* logits, float sum, float* delta) const;

  std::size_t classes_;
  base::AlignedVector<float> exponentials_;  ///< [n x C]: e^(z_c - max z)
  std::vector<float> largest_;               ///< [n]: max z
  std::vector<float> scale_;                 ///< [n]: weight of the row / n
  std::vector<double> log_sum_;              ///< [n]: log sum_c e^(z_c - max z)
  std::vector<double> match_;                ///< [n]: t^T z
};

}  // namespace credens::learn
