// SPDX-License-Identifier: Apache-2.0
//
// What the posterior needs to know of the training rows: sums that one pass over the arrays of a member gives.
//
// Letters: row i, output k, u_i row weight, phi_i features (with a constant 1 appended for a random bias), P their number,
// s_ik^2 noise variance, m_ik mean, y_ik target. All in network units.

#pragma once

#include <credens/matrix.hpp>

#include <span>
#include <vector>

#include "model/mlp.hpp"

namespace credens::learn {

struct MemberStatistics {
  double weight_total = 0;              ///< sum_i u_i
  double log_likelihood = 0;            ///< sum_ik u_i log N(y_ik; m_ik, s_ik^2); meaningless without targets
  std::vector<Matrix> gram;             ///< sum_i u_i phi_i phi_i^T / s_ik^2, [P x P]: one if all outputs share their noise, else q
};

/// Whether every output has the same noise variance at every row of the block.
bool shares_noise(const model::MemberBlock& block);

/// The sums over the rows of one block. `targets` [n x q] or empty; `weights` n or none.
MemberStatistics block_statistics(const model::MemberBlock& block, MatrixView targets, std::span<const double> weights,
                                  bool random_bias, bool shared_noise);

/// total += block: always in the order of the rows.
void add(MemberStatistics& total, const MemberStatistics& block);

}  // namespace credens::learn
