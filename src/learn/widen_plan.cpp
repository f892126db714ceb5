// SPDX-License-Identifier: Apache-2.0

#include "learn/widen_plan.hpp"

#include <memory>

#include "base/check.hpp"
#include "learn/evidence.hpp"
#include "learn/recipe.hpp"

namespace credens::learn {

using base::require;
using model::EnsembleState;

namespace {

/// Above this width P the P x P matrices of the full rung are formed only on demand; its ELBO is then not known.
constexpr std::size_t widest_free_gram = 2048;

double found_precision(const WidenPlan& plan, const std::vector<MemberStatistics>& statistics,
                       const SquaredNorms& norms) {
  if (!plan.evidence) return plan.prior_precision;
  std::vector<double> known;
  for (const auto& norm : norms) {
    require(norm.has_value(), ErrorCode::usage, "evidence for lambda needs the last layers{} of all members",
            plan.random_bias ? " with their biases" : "");
    known.push_back(*norm);
  }
  return evidence_precision(statistics, known);
}

}  // namespace

WidenPlan make_plan(const WidenOptions& options, const EnsembleState* narrow) {
  require(!(options.evidence && options.prior_precision), ErrorCode::usage,
          "lambda is to be found by evidence, but {} was given too", options.prior_precision.value_or(0));
  WidenPlan plan{.posterior = PosteriorKind::isotropic,
                 .prior_precision = narrow ? narrow->prior_precision : 0,
                 .evidence = options.evidence,
                 .random_bias = false,
                 .threads = options.threads};
  if (narrow && !narrow->options.empty()) {
    const FitOptions trained = restore_options(narrow->options);
    if (trained.posterior.is_given()) plan.posterior = trained.posterior;
    plan.prior_precision = trained.prior_precision;
    plan.random_bias = trained.random_bias;
  }
  plan.posterior = options.posterior.value_or(plan.posterior);
  plan.prior_precision = options.prior_precision.value_or(plan.prior_precision);
  plan.random_bias = options.random_bias.value_or(plan.random_bias);
  base::check_not_negative(plan.prior_precision, "lambda");
  return plan;
}

StatisticsShape statistics_shape(const WidenPlan& plan, std::size_t outputs, std::size_t features, bool shared_noise,
                                 bool wanted) {
  return {.outputs = outputs,
          .random_bias = plan.random_bias,
          .shared_noise = shared_noise || outputs == 1,
          .with_gram = plan.needs_gram() || (wanted && features < widest_free_gram)};
}

Ensemble with_posteriors(EnsembleState state, const WidenPlan& plan, const std::vector<MemberStatistics>& statistics,
                         const SquaredNorms& norms, bool has_targets) {
  state.posterior = plan.posterior;
  state.prior_precision = found_precision(plan, statistics, norms);
  for (std::size_t l = 0; l < state.members.size(); ++l) {
    state.members[l].posterior =
        make_posterior(statistics[l], has_targets ? norms[l] : std::nullopt, plan.posterior, state.prior_precision);
  }
  model::check_posteriors(state);
  return Ensemble(std::make_shared<const EnsembleState>(std::move(state)));
}

}  // namespace credens::learn
