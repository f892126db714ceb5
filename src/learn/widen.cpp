// SPDX-License-Identifier: Apache-2.0

#include "learn/widen.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>

#include "base/bytes.hpp"
#include "base/check.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "data/match.hpp"
#include "learn/evidence.hpp"
#include "learn/recipe.hpp"
#include "math/statistics.hpp"
#include "model/member_source.hpp"

namespace credens::learn {

using base::require;
using model::EnsembleState;

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

StatisticsShape statistics_shape(const WidenPlan& plan, const model::Likelihood& likelihood, std::size_t features,
                                 bool shared_noise, bool wanted) {
  // From this width P on the P x P matrices of the full rung are formed only on demand; its ELBO is then not known.
  constexpr std::size_t widest_free_gram = 2048;
  return {.outputs = likelihood.contrasts(),
          .task = likelihood.task,
          .random_bias = plan.random_bias,
          .shared_noise = shared_noise || likelihood.covariances() == 1,
          .with_gram = plan.needs_gram() || (wanted && features < widest_free_gram)};
}

std::size_t blocks_at_once(std::uint64_t memory, std::size_t row_bytes, std::size_t sum_bytes, std::size_t threads) {
  const auto fitting = [&](std::size_t bytes) {
    return std::max<std::size_t>(memory / std::max<std::size_t>(bytes, 1), 1);
  };
  return std::min({threads, fitting(row_bytes), fitting(sum_bytes)});
}

namespace {

/// The part C |mean_c w_c|^2 of |W|^2 that all classes share: |W|^2 without it is sum_c |w_c - mean_k w_k|^2.
double common_squared_norm(const Matrix& weights, std::span<const double> bias) {
  const auto classes = static_cast<double>(weights.rows());
  double squares = 0;
  for (std::size_t j = 0; j < weights.cols(); ++j) {
    double sum = 0;
    for (std::size_t c = 0; c < weights.rows(); ++c) sum += weights(c, j);
    squares += sum * sum / classes;
  }
  const double sum = std::accumulate(bias.begin(), bias.end(), 0.0);
  return squares + sum * sum / classes;
}

double squared_norm_of(const model::Mlp& network, bool random_bias) {
  return last_layer_squared_norm(network.mean_weight(), random_bias ? network.mean_bias() : std::vector<double>(),
                                 network.shape().task);
}

using Sums = std::vector<MemberStatistics>;  ///< one per member

std::size_t bytes_of(const Sums& sums) {
  std::size_t values = 0;
  for (const MemberStatistics& member : sums) {
    values += 1 + member.diagonal.size() * member.width + member.gram.size() * member.width * member.width;
  }
  return values * sizeof(double);
}

/// The number for all ranks, by what rank 0 has: a sixteenth of its memory, since training rows may take half of it.
std::size_t wave_of_team(std::size_t row_values, std::size_t sum_bytes, int threads, base::Team& team) {
  constexpr std::uint64_t part = 16;
  const std::size_t row_bytes = row_values * math::statistics_block * sizeof(double);
  std::string bytes;
  base::append_value(bytes, blocks_at_once(base::process_memory() / part, row_bytes, sum_bytes,
                                           static_cast<std::size_t>(base::thread_count(threads))));
  bytes = team.broadcast(std::move(bytes));
  return base::ByteReader(bytes).value<std::size_t>();
}

void append(const Sums& sums, std::string& bytes) {
  for (const MemberStatistics& member : sums) append_sums(bytes, member);
}

/// Sums that grow block by block, in the order of the rows.
class GrowingSums {
 public:
  GrowingSums(std::span<const model::Member> members, Sums no_rows, int threads, base::Team& team)
      : members_(members), total_(std::move(no_rows)), threads_(threads), team_(team) {}

  /// Ranks take some blocks of each wave, those of lower ranks come first. All ranks get the sums of rank 0.
  Sums add_all(const NextBlock& next_block, std::size_t wave) {
    std::vector<EncodedBlock> own(wave);
    for (bool has_more = true; has_more;) {
      std::size_t count = 0;
      for (std::size_t seen = 0; has_more && seen < wave * team_.size(); ++seen) {
        const bool is_own = seen / wave == team_.rank();
        has_more = next_block(is_own, own[is_own ? count : 0]);
        count += has_more && is_own ? 1 : 0;
      }
      add_wave(std::span(own).first(count));
    }
    if (!team_.is_alone()) share();
    return std::move(total_);
  }

 private:
  void share() {
    std::string bytes;
    append(total_, bytes);
    bytes = team_.broadcast(std::move(bytes));
    base::ByteReader reader(bytes);
    for (MemberStatistics& member : total_) read_sums(reader, member);
  }

  void add_wave(std::span<const EncodedBlock> own) {
    std::vector<Sums> sums(own.size());
    base::parallel_for(own.size(), threads_, [&](std::size_t i) { sums[i] = block_sums(own[i]); });
    if (team_.is_alone()) {
      for (const Sums& block : sums) add(block);
      return;
    }
    std::string bytes;
    for (const Sums& block : sums) append(block, bytes);
    team_.collect(std::move(bytes), [this](std::string_view of_rank) { add(of_rank); });
  }

  /// Blocks that another rank has summed.
  void add(std::string_view bytes) {
    if (bytes.empty()) return;
    Sums block = total_;
    for (base::ByteReader reader(bytes); !reader.at_end();) {
      for (MemberStatistics& member : block) read_sums(reader, member);
      add(block);
    }
  }

  void add(const Sums& block) {
    for (std::size_t l = 0; l < block.size(); ++l) learn::add(total_[l], block[l]);
  }

  /// One block at all members, a few rows at a time while they are in the cache.
  Sums block_sums(const EncodedBlock& block) const {
    model::NetworkReader reader(members_);
    reader.set_rows(block.encoded);
    reader.take(0, block.encoded.rows);
    Sums sums;
    for (std::size_t l = 0; l < members_.size(); ++l) {
      BlockStatistics statistics(members_[l].features, total_[l].shape);
      for (std::size_t first = 0; first < block.encoded.rows; first += model::forward_rows) {
        const std::size_t count = std::min(model::forward_rows, block.encoded.rows - first);
        statistics.add({.member = reader.member(l, first, count),
                        .targets = block.targets.row_block(first, count),
                        .weights = block.weights.empty() ? block.weights : block.weights.subspan(first, count)});
      }
      sums.push_back(std::move(statistics).value());
    }
    return sums;
  }

  std::span<const model::Member> members_;
  Sums total_;
  int threads_;
  base::Team& team_;
};

/// The lambda of the plan, or that of most evidence.
double found_precision(const WidenPlan& plan, const std::vector<MemberSums>& sums) {
  if (!plan.evidence) return plan.prior_precision;
  Sums statistics;
  std::vector<double> norms;
  for (const MemberSums& member : sums) {
    require(member.squared_norm.has_value(), ErrorCode::usage,
            "evidence for lambda needs the last layers{} of all members", plan.random_bias ? " with their biases" : "");
    statistics.push_back(member.statistics);
    norms.push_back(*member.squared_norm);
  }
  return evidence_precision(statistics, norms);
}

/// Whether the posterior will be the one that `fit` gives.
bool is_as_fitted(const WidenPlan& plan, const EnsembleState& state) {
  const WidenPlan fitted = make_plan({}, &state);
  return plan.posterior == fitted.posterior && plan.prior_precision == fitted.prior_precision &&
         plan.random_bias == fitted.random_bias && !plan.evidence;
}

/// Targets of a classification have no scale.
Scaling scaling_of(const EnsembleState& state) {
  if (!state.schema.is_classification()) return {state.encoder, state.target_scaler};
  return {state.encoder, data::identity_scaler(state.schema.targets.size()), data::Classes(state.schema)};
}

void check_fits(const EnsembleState& state, const data::Schema& train) {
  require(state.has_networks(), ErrorCode::usage,
          "this model was made from arrays and has no networks: widen it from the outputs of its members");
  require(train.inputs.size() == state.schema.inputs.size(), ErrorCode::data,
          "the training rows have {} inputs, the model has {}", train.inputs.size(), state.schema.inputs.size());
  require(train.targets.size() == state.schema.targets.size(), ErrorCode::data,
          "the training rows have {} targets, the model has {}", train.targets.size(), state.schema.targets.size());
  require(!state.schema.has_noise || train.has_noise, ErrorCode::usage,
          "this model was trained with known noise, so noise_std is needed for every row");
}

}  // namespace

double last_layer_squared_norm(const Matrix& weights, std::span<const double> bias, Task task) {
  double sum = 0;
  for (const double w : weights.values()) sum += w * w;
  for (const double b : bias) sum += b * b;
  return task == Task::classification ? sum - common_squared_norm(weights, bias) : sum;
}

std::vector<MemberSums> sum_rows(std::span<const model::Member> members, bool known_noise, const NextBlock& next_block,
                                 const WidenPlan& plan, base::Team& team) {
  Sums none;
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  for (const model::Member& member : members) {
    const model::MlpShape& shape = member.network->shape();
    const bool shared_noise = shape.noise == NoiseKind::shared && !known_noise;
    none.push_back(
        no_rows(member.features, statistics_shape(plan, likelihood_of(shape), member.features, shared_noise, true)));
    inputs = shape.row_width();
    outputs = shape.outputs;
  }
  const std::size_t row_values = math::padded(inputs) / 2 + 2 * outputs + 1;  // inputs are floats
  const std::size_t wave = wave_of_team(row_values, bytes_of(none), plan.threads, team);
  Sums total = GrowingSums(members, std::move(none), plan.threads, team).add_all(next_block, wave);
  std::vector<MemberSums> sums;
  for (std::size_t l = 0; l < members.size(); ++l) {
    sums.push_back({std::move(total[l]), squared_norm_of(*members[l].network, plan.random_bias)});
  }
  return sums;
}

Ensemble with_posteriors(EnsembleState state, const WidenPlan& plan, const std::vector<MemberSums>& sums,
                         bool has_targets) {
  state.posterior = plan.posterior;
  state.prior_precision = found_precision(plan, sums);
  for (std::size_t l = 0; l < state.members.size(); ++l) {
    state.members[l].posterior = make_posterior(sums[l].statistics, has_targets ? sums[l].squared_norm : std::nullopt,
                                                plan.posterior, state.prior_precision);
  }
  model::check_posteriors(state);
  return Ensemble(std::make_shared<const EnsembleState>(std::move(state)));
}

Ensemble widen(const Ensemble& ensemble, data::RowSource& train, const WidenOptions& options, base::Team& team) {
  const EnsembleState& state = ensemble.state();
  check_fits(state, train.schema());
  const WidenPlan plan = make_plan(options, &state);
  SourceBlocks blocks(train, scaling_of(state));
  const NextBlock next_block = [&](bool wanted, EncodedBlock& block) { return blocks.next(wanted, block); };
  const std::vector<MemberSums> sums = sum_rows(state.members, train.schema().has_noise, next_block, plan, team);
  EnsembleState wide = state;
  wide.promise.reset();
  wide.data = {.rows = blocks.rows(), .fingerprint = blocks.fingerprint()};
  if (wide.data != state.data || !is_as_fitted(plan, state)) {
    wide.expected.reset();
    wide.expected_classes.reset();
  }
  return with_posteriors(std::move(wide), plan, sums);
}

}  // namespace credens::learn

namespace credens {

Ensemble widen(const Ensemble& ensemble, const Dataset& train, const WidenOptions& options) {
  std::optional<Dataset> matched;
  if (ensemble.has_networks()) matched = data::matched(train, ensemble.state().schema);
  return learn::widen(ensemble, *data::rows_of(matched ? *matched : train), options);
}

}  // namespace credens
