// SPDX-License-Identifier: Apache-2.0
//
// Arrays of a made-up member, for tests of the Bayesian part.

#pragma once

#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "learn/statistics.hpp"
#include "model/mlp.hpp"

namespace credens::learn {

struct RandomMember {
  model::MemberBlock block;
  Matrix targets;
  Matrix last_layer;  // [q x p]
};

/// Features uniform in [-1, 2], variances in [0.05, 2], means and targets around 0; `shared` repeats one variance over
/// the outputs.
inline RandomMember random_member(std::size_t rows, std::size_t features, std::size_t outputs, bool shared,
                                  std::uint64_t seed) {
  base::RandomStream random({.seed = seed, .purpose = base::Purpose::test});
  RandomMember member{.block = {Matrix(rows, features), Matrix(rows, outputs), Matrix(rows, outputs)},
                      .targets = Matrix(rows, outputs),
                      .last_layer = Matrix(outputs, features)};
  for (double& value : member.block.features.values()) value = random.uniform(-1, 2);
  for (double& value : member.last_layer.values()) value = random.normal();
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < outputs; ++k) {
      const bool repeat = shared && k > 0;
      member.block.variance(i, k) = repeat ? member.block.variance(i, 0) : std::exp(random.uniform(-3, 0.7));
      member.block.mean(i, k) = random.normal();
      member.targets(i, k) = member.block.mean(i, k) + random.normal();
    }
  }
  return member;
}

/// The sums over a block in one piece.
inline MemberStatistics block_statistics(const model::MemberBlock& block, MatrixView targets,
                                         std::span<const double> weights, const StatisticsShape& shape) {
  BlockStatistics statistics(block.features.cols(), shape);
  statistics.add({.member = block.view(), .targets = targets, .weights = weights});
  return std::move(statistics).value();
}

inline double squared_norm(const Matrix& matrix) {
  double sum = 0;
  for (const double value : matrix.values()) sum += value * value;
  return sum;
}

}  // namespace credens::learn
