// SPDX-License-Identifier: Apache-2.0
//
// One pass over the training rows, then closed forms: the networks are not touched.

#include <credens/widen.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/check.hpp"
#include "base/parallel.hpp"
#include "data/names.hpp"
#include "learn/evidence.hpp"
#include "learn/recipe.hpp"
#include "learn/statistics.hpp"
#include "math/statistics.hpp"
#include "model/ensemble_state.hpp"
#include "model/weights.hpp"

namespace credens {

using base::require;
using learn::MemberStatistics;
using model::EnsembleState;
using model::MemberBlock;

namespace {

/// Above this width P the P x P matrices of the full rung are formed only on demand; its ELBO is then not known.
constexpr std::size_t widest_free_gram = 2048;

/// What is left of the options once defaults are filled in.
struct WidenPlan {
  PosteriorKind posterior;
  double prior_precision;
  bool evidence;
  bool random_bias;
  int threads;
};

WidenPlan make_plan(const WidenOptions& options, const EnsembleState* narrow) {
  require(!(options.evidence && options.prior_precision), ErrorCode::usage,
          "lambda is to be found by evidence, but {} was given too", options.prior_precision.value_or(0));
  WidenPlan plan{.posterior = PosteriorKind::isotropic,
                 .prior_precision = narrow ? narrow->prior_precision : 0,
                 .evidence = options.evidence,
                 .random_bias = false,
                 .threads = options.threads};
  if (narrow && !narrow->options.empty()) {
    const FitOptions trained = learn::restore_options(narrow->options);
    plan.posterior = trained.posterior;
    plan.prior_precision = trained.prior_precision;
    plan.random_bias = trained.random_bias;
  }
  plan.posterior = options.posterior.value_or(plan.posterior);
  plan.prior_precision = options.prior_precision.value_or(plan.prior_precision);
  plan.random_bias = options.random_bias.value_or(plan.random_bias);
  base::check_not_negative(plan.prior_precision, "lambda");
  return plan;
}

learn::StatisticsShape statistics_shape(const WidenPlan& plan, std::size_t outputs, std::size_t features,
                                        bool shared_noise) {
  const bool wanted = plan.evidence || plan.posterior == PosteriorKind::full;
  return {.outputs = outputs,
          .random_bias = plan.random_bias,
          .shared_noise = shared_noise || outputs == 1,
          .with_gram = wanted || features < widest_free_gram};
}

/// Adds the blocks of all members at some rows to their totals.
void add_block(std::vector<MemberStatistics>& totals, const std::vector<MemberBlock>& members, MatrixView targets,
               std::span<const double> weights, int threads) {
  base::parallel_for(members.size(), threads, [&](std::size_t l) {
    learn::add(totals[l], learn::block_statistics(members[l], targets, weights, totals[l].shape));
  });
}

std::span<const double> rows_of(std::span<const double> values, std::size_t first, std::size_t count) {
  return values.empty() ? values : values.subspan(first, count);
}

/// |W|^2 of each member, or none where a last layer is not known.
using SquaredNorms = std::vector<std::optional<double>>;

double found_precision(const WidenPlan& plan, const std::vector<MemberStatistics>& statistics,
                       const SquaredNorms& norms) {
  if (!plan.evidence) return plan.prior_precision;
  std::vector<double> known;
  for (const auto& norm : norms) {
    require(norm.has_value(), ErrorCode::usage, "evidence for lambda needs the last layers{} of all members",
            plan.random_bias ? " with their biases" : "");
    known.push_back(*norm);
  }
  return learn::evidence_precision(statistics, known);
}

/// Fills in the posteriors of `state` from the sums over its training rows.
Ensemble with_posteriors(EnsembleState state, const WidenPlan& plan, const std::vector<MemberStatistics>& statistics,
                         const SquaredNorms& norms, bool has_targets) {
  state.posterior = plan.posterior;
  state.prior_precision = found_precision(plan, statistics, norms);
  for (std::size_t l = 0; l < state.members.size(); ++l) {
    state.members[l].posterior = learn::make_posterior(statistics[l], has_targets ? norms[l] : std::nullopt,
                                                       plan.posterior, state.prior_precision);
  }
  model::check(state);
  return Ensemble(std::make_shared<const EnsembleState>(std::move(state)));
}

// ---- networks ----

Matrix scaled_targets(const data::Scaler& scaler, MatrixView targets) {
  Matrix scaled(targets.rows(), targets.cols());
  for (std::size_t row = 0; row < targets.rows(); ++row) {
    for (std::size_t k = 0; k < targets.cols(); ++k) scaled(row, k) = scaler.apply(k, targets(row, k));
  }
  return scaled;
}

double last_layer_squared_norm(const model::Mlp& network, bool random_bias) {
  double sum = 0;
  const Matrix weights = network.mean_weight();
  for (const double w : weights.values()) sum += w * w;
  if (random_bias) {
    for (const double b : network.mean_bias()) sum += b * b;
  }
  return sum;
}

void check_fits(const EnsembleState& state, const Dataset& train) {
  require(state.has_networks(), ErrorCode::usage,
          "this model was made from arrays and has no networks: widen it from the outputs of its members");
  require(train.inputs().cols() == state.layout.inputs, ErrorCode::data,
          "the training rows have {} inputs, the model has {}", train.inputs().cols(), state.layout.inputs);
  require(train.targets().cols() == state.target_names.size(), ErrorCode::data,
          "the training rows have {} targets, the model has {}", train.targets().cols(), state.target_names.size());
}

}  // namespace

Ensemble widen(const Ensemble& ensemble, const Dataset& train, const WidenOptions& options) {
  const EnsembleState& narrow = ensemble.state();
  check_fits(narrow, train);
  const WidenPlan plan = make_plan(options, &narrow);
  const std::size_t q = narrow.target_names.size();
  const bool known_noise = !train.noise_std().empty();

  std::vector<MemberStatistics> statistics;
  SquaredNorms norms;
  for (const model::Member& member : narrow.members) {
    const bool shared_noise = member.network->shape().noise == NoiseKind::shared && !known_noise;
    statistics.push_back(learn::no_rows(member.features, statistics_shape(plan, q, member.features, shared_noise)));
    norms.push_back(last_layer_squared_norm(*member.network, plan.random_bias));
  }
  model::for_each_block(narrow, train.inputs(), train.noise_std(), plan.threads,
                        [&](std::size_t first, const std::vector<MemberBlock>& members) {
                          const std::size_t count = members.front().mean.rows();
                          const Matrix targets =
                              scaled_targets(narrow.target_scaler, train.targets().row_block(first, count));
                          add_block(statistics, members, targets, rows_of(train.weights(), first, count), plan.threads);
                        });

  EnsembleState wide = narrow;
  wide.data = {.rows = train.rows(), .fingerprint = train.fingerprint()};
  return with_posteriors(std::move(wide), plan, statistics, norms, true);
}

// ---- arrays of networks trained elsewhere ----

namespace {

std::vector<double> or_constant(const std::vector<double>& values, std::size_t count, double constant) {
  return values.empty() ? std::vector<double>(count, constant) : values;
}

EnsembleState state_of(const MemberOutputs& outputs) {
  const std::size_t members = outputs.members();
  const std::size_t q = outputs.outputs();
  EnsembleState state;
  for (std::size_t l = 0; l < members; ++l)
    state.members.push_back({.index = l, .features = outputs.features[l].cols()});
  state.total_members = members;
  state.weights = model::normalised(or_constant(outputs.member_weights, members, 1.0));
  state.target_scaler = {.shift = or_constant(outputs.target_shift, q, 0.0),
                         .scale = or_constant(outputs.target_scale, q, 1.0)};
  state.target_names = outputs.target_names.empty() ? data::default_target_names(q) : outputs.target_names;
  state.data.rows = outputs.rows();
  return state;
}

/// None where last layers are missing, or where the bias is random: arrays carry no biases.
SquaredNorms squared_norms(const MemberOutputs& outputs, bool random_bias) {
  SquaredNorms norms(outputs.members());
  if (random_bias || outputs.last_layer.empty()) return norms;
  for (std::size_t l = 0; l < norms.size(); ++l) {
    double sum = 0;
    for (const double w : outputs.last_layer[l].values()) sum += w * w;
    norms[l] = sum;
  }
  return norms;
}

}  // namespace

Ensemble widen(const MemberOutputs& outputs, const WidenOptions& options) {
  check(outputs);
  require(options.evidence || options.prior_precision, ErrorCode::usage,
          "widening arrays needs lambda, the prior precision that their networks were trained with");
  const WidenPlan plan = make_plan(options, nullptr);

  std::vector<MemberStatistics> statistics;
  for (std::size_t l = 0; l < outputs.members(); ++l) {
    const std::size_t features = outputs.features[l].cols();
    const bool shared_noise = outputs.variance[l].cols() == 1;
    statistics.push_back(learn::no_rows(features, statistics_shape(plan, outputs.outputs(), features, shared_noise)));
  }
  for (std::size_t first = 0; first < outputs.rows(); first += math::statistics_block) {
    const std::size_t count = std::min(math::statistics_block, outputs.rows() - first);
    const MatrixView targets = outputs.targets.empty() ? MatrixView() : outputs.targets.view().row_block(first, count);
    add_block(statistics, model::block_of(outputs, first, count), targets, rows_of(outputs.row_weights, first, count),
              plan.threads);
  }
  return with_posteriors(state_of(outputs), plan, statistics, squared_norms(outputs, plan.random_bias),
                         !outputs.targets.empty());
}

}  // namespace credens
