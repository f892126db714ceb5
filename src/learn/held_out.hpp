// SPDX-License-Identifier: Apache-2.0
//
// Predictions of members at held-out rows: the evidence for configuration weights and for the size of the noise.
//
// Letters: n rows, L members, q outputs, row r, member l. A held-out pair is a member and a row that was held out of
// it.

#pragma once

#include <credens/fit.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "learn/training_rows.hpp"
#include "model/ensemble_state.hpp"

namespace credens::learn {

/// A member at all n rows, in network units.
struct MemberAtRows {
  std::size_t configuration = 0;         ///< replicates have the same
  std::size_t features = 0;              ///< p
  Matrix mean;                           ///< [n x q]
  Matrix log_variance;                   ///< [n x u], without floor; u = 1 (shared noise), q, or 0 (known noise)
  std::vector<double> squared_features;  ///< |phi|^2
  std::vector<model::NoiseRange> seen;   ///< range of log_variance at training rows, one per unit; kept at other rows
};

struct HeldOut {
  double weight_in_all = 0;     ///< sum of the row weights of the training set as given: N without weights
  Matrix targets;               ///< [n x q]
  Matrix known_variance;        ///< [n x q] or empty
  std::vector<double> weights;  ///< u_r
  std::size_t units = 0;        ///< of rows that are held out together; 0: every row is one
  std::vector<MemberAtRows> members;
  std::vector<std::size_t> first_pair;     ///< [n + 1] place of row r's first pair in pair_member, and the end
  std::vector<std::uint32_t> pair_member;  ///< [pairs] position in `members`

  std::size_t rows() const { return targets.rows(); }
  std::size_t outputs() const { return targets.cols(); }
  std::size_t independent_rows() const { return units == 0 ? rows() : units; }
  double rows_per_unit() const { return static_cast<double>(rows()) / static_cast<double>(independent_rows()); }
  std::size_t pairs() const { return pair_member.size(); }
  std::vector<std::size_t> replicates() const;  ///< number of members of each configuration
  std::span<const std::uint32_t> members_of(std::size_t row) const {
    return std::span(pair_member).subspan(first_pair[row], first_pair[row + 1] - first_pair[row]);
  }
};

/// Rows to judge members by: all of a fit, or a sample where there are more than a window holds.
struct JudgingRows {
  const TrainingSet& set() const { return sample ? *sample : *all; }

  /// Units of some rows of the set; none where every row is one.
  std::vector<std::uint32_t> units_of(std::span<const std::uint32_t> some) const;

  const TrainingSet* all = nullptr;
  std::optional<TrainingSet> sample = {};
  const FoldUnits* units = nullptr;          ///< of all rows; null for a sample, whose rows are held out one by one
  std::vector<std::vector<bool>> held = {};  ///< by member, then by row of the set
  std::vector<std::uint32_t> held_out_order = {};  ///< rows, in random order, of which those held out are judged
  std::vector<std::uint32_t> training_order = {};  ///< rows, in random order, of which those trained on are looked at
};

/// All rows that members may be trained on; with several windows about `most_rows` of each sort, or more. The training
/// rows must live as long.
JudgingRows judging_rows(const TrainingRows& rows, const FitOptions& options, std::span<const model::Member> members,
                         std::size_t most_rows);

/// The outputs of one member at all rows of a set.
model::MemberBlock member_at(const model::Member& member, const TrainingSet& rows);

/// Up to `most_rows` rows that some member was not trained on.
HeldOut look_at_held_out(const JudgingRows& rows, const FitOptions& options, std::span<const model::Member> members,
                         std::size_t most_rows);

/// Grades, counts and readings of a coarse scale take few values, and a density has no measure of them: a member that
/// is narrow and happens to say one of the values exactly is worth any number of wrong ones, and noise, tails and
/// weights that are best for such rows describe the scale, not the errors.
///
/// The step of the scale that an output's targets were rounded to, in network units: the median distance between
/// neighbouring values. None where values hardly repeat, where rounding (a variance of step^2 / 12) is nothing beside
/// the errors, and where the best configuration errs by less than half a step and so tells the values apart.
std::optional<double> rounding_step(const HeldOut& held_out, std::size_t output);

/// Adds to rounded targets what rounding may have taken: a random number from -1/2 to 1/2 of the step. Returns the
/// steps, one per output.
std::vector<std::optional<double>> undo_rounding(HeldOut& held_out, std::uint64_t seed);

}  // namespace credens::learn
