// SPDX-License-Identifier: Apache-2.0
//
// One fit, step by step: a pass over the table, the plan, a second pass, training, calibration, widening. The library's
// `fit` takes all steps at once; the command line keeps finished members in between.

#pragma once

#include <credens/fit.hpp>

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/team.hpp"
#include "learn/finish.hpp"
#include "learn/train_members.hpp"

namespace credens::learn {

class Fit {
 public:
  /// Reads the table once and makes the choices that `given` leaves open. The team's ranks all come to every step with
  /// the same table and options.
  Fit(std::unique_ptr<data::RowSource> source, const FitOptions& given, base::Team& team = base::alone(),
      const WindowSize& window = {});

  /// Members of an earlier fit, whose plan is taken as it is.
  Fit(std::unique_ptr<data::RowSource> source, Plan plan, base::Team& team = base::alone());

  /// Throws usage where options contradict each other or the table, data for a table that cannot be learned from.
  void check() const;

  /// Rows of their own for early stopping, which must live as long; throws usage or data where they do not fit.
  void set_validation(const Dataset& validation);

  const TrainingTable& table() const { return table_; }
  const Plan& plan() const { return plan_; }
  model::DataSummary data() const { return {.rows = table_.rows(), .fingerprint = table_.summary().fingerprint}; }

  /// Trains the members with these indices; hooks as in FitOptions are those of `planned`, the plan's options.
  std::vector<model::Member> train(const FitOptions& planned, std::span<const std::size_t> which,
                                   const OnMember& on_member = nullptr);

  /// The narrow ensemble of all members: calibrated, with rung and lambda for `widen`.
  Ensemble narrow(std::vector<model::Member> members);

  /// The widened ensemble of all members.
  Ensemble wide(std::vector<model::Member> members);

  /// Members that others must complete, as they are.
  Ensemble part(std::vector<model::Member> members) const;

  /// Epistemic by aleatoric variance at the training rows, the mean over outputs of each output's weighted median. Of
  /// more than 2^20 rows, blocks at even distances tell. Ranks take turns; rank 0 knows the result.
  double median_ratio(const Ensemble& ensemble);

 private:
  const TrainingRows& rows();
  Ensemble assemble(Finished finished) const;

  base::Team& team_;
  TrainingTable table_;
  Plan plan_;
  std::optional<Dataset> matched_validation_;  ///< where validation rows had other columns or codes than the table
  std::optional<TrainingSet> validation_;
  std::optional<TrainingRows> rows_;  ///< once somebody needs them
};

}  // namespace credens::learn
