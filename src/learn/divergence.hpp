// SPDX-License-Identifier: Apache-2.0
//
// When a member counts as diverged: it explains its training rows clearly worse than no network at all.

#pragma once

#include <credens/network.hpp>

#include <vector>

#include "learn/training_set.hpp"
#include "model/mlp.hpp"

namespace credens::learn {

/// Sums over the rows of one output, weighted with u_i / v_i; the constant mean and its squared error follow from them.
struct PrecisionSums {
  double precision = 0;  ///< sum u / v
  double first = 0;      ///< sum u y / v
  double second = 0;     ///< sum u y^2 / v
  double logs = 0;       ///< sum u log v
  double weights = 0;    ///< sum u

  void add(double u, double y, double v);
  double squared_error() const;
};

/// The weighted mean of l_i of the best constant mean m_k with v_ik = s_k^2 + known_ik, s_k^2 the variance of target k;
/// with noise `known`, v_ik = known_ik.
///
/// s_k^2 is at least 1, its value over all of TRAIN in network units: rows whose target hardly varies (a constant
/// target, a validation part that took the variation away) would otherwise set a mark that a sound network reaches only
/// after many epochs.
struct ConstantGaussian {
  double square_part = 0;  ///< 1/2 sum_k (m - y)^2 / v
  double log_part = 0;     ///< 1/2 sum_k log v
};

ConstantGaussian constant_gaussian(const TrainingSet& data, NoiseKind noise);

/// The largest sound training loss: 1 nat per output above the constant Gaussian's. With known noise far below the
/// spread of the targets a nat is next to nothing, so the squared part may also double.
double divergence_limit(const TrainingSet& data, NoiseKind noise);

/// The constant Gaussian in one pass over rows that come in pieces, with s_k^2 = 1, its value over all of TRAIN.
class DivergenceSums {
 public:
  DivergenceSums(std::size_t outputs, NoiseKind noise) : noise_(noise), outputs_(outputs) {}

  void add(const TrainingSet& data, std::size_t first, std::size_t count);
  double limit() const;

 private:
  NoiseKind noise_;
  std::vector<PrecisionSums> outputs_;
};

}  // namespace credens::learn
