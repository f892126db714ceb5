// SPDX-License-Identifier: Apache-2.0
//
// When a member counts as diverged: it explains its training rows clearly worse than no network at all.

#pragma once

#include <credens/network.hpp>

#include <vector>

#include "learn/training_rows.hpp"

namespace credens::learn {

/// The largest sound training loss, in one pass over rows that come in pieces: 1 nat per output above the constant
/// Gaussian's. With known noise far below the spread of the targets a nat is next to nothing, so the squared part may
/// also double.
///
/// The constant Gaussian has the weighted mean of l_i of the best constant mean m_k with v_ik = s_k^2 + known_ik; with
/// noise `known`, v_ik = known_ik. For classes the limit is 1 nat above the entropy of their shares.
class DivergenceSums {
 public:
  /// s_k^2 of each output; over all of TRAIN it is 1 in network units.
  DivergenceSums(std::vector<double> variances, NoiseKind noise)
      : variances_(std::move(variances)), noise_(noise), outputs_(variances_.size()) {}

  void add(const TrainingSet& data, std::size_t first, std::size_t count);
  double limit() const;

 private:
  /// Sums over the rows of one output, weighted with u_i / v_i; the constant mean and its squared error follow from
  /// them.
  struct Sums {
    double precision = 0;  ///< sum u / v
    double first = 0;      ///< sum u y / v
    double second = 0;     ///< sum u y^2 / v
    double logs = 0;       ///< sum u log v
    double weights = 0;    ///< sum u
  };

  std::vector<double> variances_;
  NoiseKind noise_;
  std::vector<Sums> outputs_;
  std::vector<double> class_weights_;  ///< sum u t of each class; empty: no classes
};

/// The limit for rows in memory. s_k^2 is the variance of target k, at least 1, its value over all of TRAIN: rows whose
/// target hardly varies (a constant target, a validation part that took the variation away) would otherwise set a mark
/// that a sound network reaches only after many epochs.
double divergence_limit(const TrainingSet& data, NoiseKind noise);

}  // namespace credens::learn
