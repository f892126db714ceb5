// SPDX-License-Identifier: Apache-2.0
//
// The members of a fit, from a checkpoint or trained now; every finished one is kept before the next counts.

#pragma once

#include <credens/fit.hpp>

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/team.hpp"
#include "cli/progress.hpp"
#include "learn/fit.hpp"
#include "model/ensemble_state.hpp"
#include "store/checkpoint.hpp"

namespace credens::cli {

/// `A:B`: members A to B - 1 of an ensemble.
struct MemberRange {
  std::size_t first = 0;
  std::size_t end = 0;
};

struct TrainingPlan {
  learn::Fit* fit = nullptr;
  FitOptions options = {};  ///< with the token that stops
  MemberRange range = {};
  std::filesystem::path checkpoint = {};  ///< empty: nothing is kept
  bool checkpoint_is_ours = true;         ///< not named by the user: removed on success
  bool resume = false;
  ProgressKind progress = ProgressKind::automatic;
  base::Team* team = &base::alone();  ///< every rank trains a share, and keeps it in its own folder or a common one
};

class Training {
 public:
  explicit Training(TrainingPlan plan);

  /// The members of the range in order. Throws usage where the checkpoint belongs to another fit, or to an earlier run
  /// and `resume` was not asked for; interrupted with a sentence that says how to go on.
  std::vector<model::Member> run();

  void stop_if_asked() const;         ///< throws interrupted in the same way, for the work after the members
  void finish() const;                ///< the model is safe: what was kept for it may go
  std::string kept_sentence() const;  ///< "; N of M members are kept in FOLDER, ...", or that none are

 private:
  std::vector<model::Member> load_finished() const;
  std::vector<std::size_t> divide(std::vector<model::Member>& finished);
  void train_share(const std::vector<std::size_t>& missing, std::vector<model::Member>& members);
  std::vector<model::Member> members_of_all(std::vector<model::Member> members) const;
  [[noreturn]] void fail(const Error& error) const;

  TrainingPlan plan_;
  std::optional<store::Checkpoint> checkpoint_;
  std::atomic<std::size_t> kept_ = 0;  ///< members in the checkpoint, as far as this rank knows
};

}  // namespace credens::cli
