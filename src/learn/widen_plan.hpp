// SPDX-License-Identifier: Apache-2.0
//
// What widening networks and widening arrays have in common: options with their defaults, and closed forms from sums.

#pragma once

#include <credens/widen.hpp>

#include <optional>
#include <vector>

#include "learn/statistics.hpp"
#include "model/ensemble_state.hpp"

namespace credens::learn {

/// What is left of the options once defaults are filled in.
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
StatisticsShape statistics_shape(const WidenPlan& plan, std::size_t outputs, std::size_t features, bool shared_noise,
                                 bool wanted);

/// |W|^2 of each member, or none where a last layer is not known.
using SquaredNorms = std::vector<std::optional<double>>;

/// Fills in the posteriors of `state` from the sums over its training rows.
Ensemble with_posteriors(model::EnsembleState state, const WidenPlan& plan,
                         const std::vector<MemberStatistics>& statistics, const SquaredNorms& norms, bool has_targets);

}  // namespace credens::learn
