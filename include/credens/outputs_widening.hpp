// SPDX-License-Identifier: Apache-2.0
//
// Widening networks trained elsewhere from rows that come in pieces, or from sums over rows that were made elsewhere.
// Memory does not grow with the rows.

#pragma once

#include <credens/output_rows.hpp>
#include <credens/widen.hpp>

#include <memory>
#include <vector>

namespace credens {

class OutputsWidening {
 public:
  /// `about` says what belongs to members and outputs: last_layer, member_weights, target_scale, target_shift,
  /// target_names and classes; its rows are not looked at. Options need `prior_precision`, or `evidence` with last
  /// layers. Where they give no posterior it is `isotropic`, for classes `full`. Without `full_elbo` a row costs O(p)
  /// where the rung is below `full`, and the ELBO of `full` is not known.
  explicit OutputsWidening(const WidenOptions& options, const MemberOutputs& about = {}, bool full_elbo = true);
  ~OutputsWidening();
  OutputsWidening(OutputsWidening&&) noexcept;
  OutputsWidening& operator=(OutputsWidening&&) noexcept;

  /// Any number of rows; all pieces have targets or none, and row weights or none. How the rows are cut does not change
  /// the bits of the result. A piece that throws is not counted.
  void add(const OutputRows& rows);

  std::size_t rows() const;  ///< added so far

  /// The ensemble widened with the rows added so far, the same bits as widen(MemberOutputs) gives for all of them.
  Ensemble finish() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// G_k = sum_i u_i phi_i phi_i^T / s_ik^2 of each member, whoever added it up: u_i row weight, phi_i features (with a
/// constant 1 appended for a random bias), P their number, s_ik^2 noise variance, for C classes the number C. Either
/// `diagonal` or `gram` is given.
struct OutputSums {
  std::size_t rows = 0;
  std::size_t outputs = 1;                     ///< q
  std::vector<Matrix> diagonal = {};           ///< L of [q x P], or [1 x P] when the outputs share their noise
  std::vector<std::vector<Matrix>> gram = {};  ///< L of q or 1 matrices [P x P]; `full` and `evidence` need them
  std::vector<double> log_likelihood = {};     ///< L values sum_ik u_i log N(y_ik; m_ik, s_ik^2), or none: no ELBO
  Task task = Task::regression;                ///< of classes log_likelihood is that of the labels
};

/// Widening from sums; `about` as in OutputsWidening.
Ensemble widen(const OutputSums& sums, const WidenOptions& options, const MemberOutputs& about = {});

}  // namespace credens
