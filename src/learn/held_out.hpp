// SPDX-License-Identifier: Apache-2.0
//
// What members say of rows that they did not see: the evidence for member weights and for the size of the noise.
//
// Letters: n rows, L members, q outputs, row r, member l. A case is a member at a row that it did not see.

#pragma once

#include <credens/fit.hpp>

#include <cstdint>
#include <span>
#include <vector>

#include "learn/preparation.hpp"
#include "learn/training_set.hpp"
#include "model/ensemble_state.hpp"

namespace credens::learn {

/// A member at all n rows, in network units.
struct MemberAtRows {
  std::size_t kind = 0;                  ///< members of one kind share their settings
  std::size_t features = 0;              ///< p
  Matrix mean;                           ///< [n x q]
  Matrix log_variance;                   ///< [n x u], without floor; u = 1 (shared noise), q, or 0 (known noise)
  std::vector<double> squared_features;  ///< |phi|^2
  std::vector<model::NoiseRange> seen;  ///< of log_variance at rows of training, one per unit; rows held out keep to it
};

struct HeldOut {
  double weight_in_all = 0;     ///< sum of the row weights of the training set as given: N without weights
  Matrix targets;               ///< [n x q]
  Matrix known_variance;        ///< [n x q] or empty
  std::vector<double> weights;  ///< u_r
  std::vector<MemberAtRows> members;
  std::vector<std::size_t> first_case;     ///< of row r, and of the end: n + 1
  std::vector<std::uint32_t> case_member;  ///< position in `members`

  std::size_t rows() const { return targets.rows(); }
  std::size_t outputs() const { return targets.cols(); }
  std::size_t cases() const { return case_member.size(); }
  std::span<const std::uint32_t> members_of(std::size_t row) const {
    return std::span(case_member).subspan(first_case[row], first_case[row + 1] - first_case[row]);
  }
};

/// Rows to judge members by, where there are more rows than a window holds: some that members did not see, then some
/// that they saw, each in random order.
struct JudgingRows {
  SampledRows sample;
  std::vector<std::vector<bool>> held;  ///< by member, then by row of the sample
  std::vector<std::uint32_t> unseen;    ///< places in the sample
  std::vector<std::uint32_t> seen;      ///< places in the sample; with several folds by most members
};

/// Of as many rows of each sort as `most_rows`, `unseen` may have more.
JudgingRows judging_rows(const TrainingRows& train, const FitOptions& options, std::span<const model::Member> members,
                         std::size_t most_rows);

/// Up to `most_rows` rows that members did not see.
HeldOut look_at_held_out(const JudgingRows& rows, const FitOptions& options, std::span<const model::Member> members,
                         std::size_t most_rows);

/// Up to `most_rows` rows of `data`, chosen by the seed among those that some member did not see.
HeldOut look_at_held_out(const TrainingSet& data, const FitOptions& options, std::span<const model::Member> members,
                         std::size_t most_rows);

}  // namespace credens::learn
