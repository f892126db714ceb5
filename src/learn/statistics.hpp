// SPDX-License-Identifier: Apache-2.0
//
// The sums over training rows that the posterior needs: those that one pass over the arrays of a member gives.
//
// Letters: row i, output k, u_i row weight, phi_i features (with a constant 1 appended for a random bias), P their
// number, s_ik^2 noise variance, m_ik mean, y_ik target. All in network units.

#pragma once

#include <credens/matrix.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "math/linalg.hpp"
#include "math/statistics.hpp"
#include "model/mlp.hpp"

namespace credens::learn {

/// How the sums of a member are formed.
struct StatisticsShape {
  std::size_t outputs = 1;  ///< q; contrasts of classes (model/likelihood.hpp)
  Task task = Task::regression;
  bool random_bias = false;   ///< phi ends with a constant 1
  bool shared_noise = false;  ///< s_ik^2 is the same for all k: one G instead of q
  bool with_gram = true;      ///< false: diagonals only, where P x P would be too large

  std::size_t grams() const { return shared_noise ? 1 : outputs; }
  /// Covariances that the diagonal rung keeps: one per output, one for all classes.
  std::size_t covariances() const { return task == Task::classification ? 1 : outputs; }
};

struct MemberStatistics {
  StatisticsShape shape;
  std::size_t width = 0;                      ///< P
  double log_likelihood = 0;                  ///< sum_ik u_i log N(y_ik; m_ik, s_ik^2), or that of labels; 0 without
  std::vector<std::vector<double>> diagonal;  ///< of each G_k = sum_i u_i phi_i phi_i^T / s_ik^2, P values
  std::vector<Matrix> gram;                   ///< each G_k [P x P]; none without with_gram

  /// The sums of output k, which shares the only one with the rest when the noise is shared.
  std::size_t position_of(std::size_t output) const { return shape.shared_noise ? 0 : output; }
  double trace(std::size_t output) const;
};

/// All sums zero: the statistics of no rows.
MemberStatistics no_rows(std::size_t features, const StatisticsShape& shape);

/// Some rows of a member, with what belongs to them.
struct StatisticsRows {
  model::MemberView member;
  MatrixView targets;               ///< [n x q], numbers of classes [n x 1] or shares [n x C], or empty
  std::span<const double> weights;  ///< n values or none
};

/// The sums over the rows of one block, which may come in pieces.
class BlockStatistics {
 public:
  BlockStatistics(std::size_t features, const StatisticsShape& shape);

  void add(const StatisticsRows& rows);
  MemberStatistics value() &&;

 private:
  MemberStatistics sums_;             ///< diagonals only without gram
  std::vector<math::GramSum> grams_;  ///< none without gram
  math::CompensatedSum log_likelihood_;
  std::vector<double> precision_;  ///< u_i / s_ik^2 of one output
};

/// total += block: always in the order of the rows.
void add(MemberStatistics& total, const MemberStatistics& block);

/// The sums with every 1 / s_ik^2 multiplied by `factor`. The log likelihood stays, which then is that of other noise.
void scale(MemberStatistics& statistics, double factor);

/// The sums as bytes for another process, and back into statistics of the same shape.
void append_sums(std::string& bytes, const MemberStatistics& statistics);
void read_sums(base::ByteReader& reader, MemberStatistics& statistics);

}  // namespace credens::learn
