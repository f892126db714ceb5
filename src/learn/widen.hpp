// SPDX-License-Identifier: Apache-2.0
//
// Widening: sums over the training rows of each member, everything that the posterior needs to know of them, then
// closed forms. The networks are not touched.

#pragma once

#include <credens/widen.hpp>

#include <optional>
#include <span>
#include <vector>

#include "base/team.hpp"
#include "learn/encoded_blocks.hpp"
#include "learn/statistics.hpp"
#include "model/ensemble_state.hpp"
#include "model/likelihood.hpp"

namespace credens::learn {

/// The options of widening once defaults are filled in.
struct WidenPlan {
  PosteriorKind posterior;
  double prior_precision;
  bool evidence;
  bool random_bias;
  int threads;

  /// Whether the posterior itself needs P x P matrices.
  bool needs_gram() const { return evidence || posterior == PosteriorKind::full; }
};

/// `narrow` is null for arrays.
WidenPlan make_plan(const WidenOptions& options, const model::EnsembleState* narrow);

/// Without need the P x P matrices are formed for the full rung's ELBO alone, where that is `wanted` and P is not
/// large.
StatisticsShape statistics_shape(const WidenPlan& plan, const model::Likelihood& likelihood, std::size_t features,
                                 bool shared_noise, bool wanted);

/// |W|^2 with the bias, where one is given that is random; for classes the norm of the contrasts, sum_c |w_c - mean_k
/// w_k|^2.
double last_layer_squared_norm(const Matrix& weights, std::span<const double> bias, Task task);

/// G_k and |W|^2 of one member, for classes the norm of W's contrasts; no norm where the last layer is not known.
struct MemberSums {
  MemberStatistics statistics;
  std::optional<double> squared_norm;
};

/// Blocks of rows that a rank sums at once: one for each thread as long as the rows and the sums of all members each
/// take no more than `memory`. At least one. Blocks are added in order, so the number changes memory and time alone.
std::size_t blocks_at_once(std::uint64_t memory, std::size_t row_bytes, std::size_t sum_bytes, std::size_t threads);

/// Sums over all blocks, one per member, by the threads and ranks that there are; their number changes no bit. Ranks of
/// a team all come here with the same members and rows, and all get the sums.
std::vector<MemberSums> sum_rows(std::span<const model::Member> members, bool known_noise, const NextBlock& next_block,
                                 const WidenPlan& plan, base::Team& team = base::alone());

/// The ensemble of `state` with the posteriors that the sums over its training rows give its members.
Ensemble with_posteriors(model::EnsembleState state, const WidenPlan& plan, const std::vector<MemberSums>& sums,
                         bool has_targets = true);

/// Widens with rows that are not in memory: the same bits as credens::widen gives for a dataset with these rows, in
/// memory that does not grow with them. The ranks of a team, which all come here with the same ensemble and rows, share
/// the work.
Ensemble widen(const Ensemble& ensemble, data::RowSource& train, const WidenOptions& options = {},
               base::Team& team = base::alone());

}  // namespace credens::learn
