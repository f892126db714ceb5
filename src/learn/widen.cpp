// SPDX-License-Identifier: Apache-2.0
//
// One pass over the training rows, then closed forms: the networks are not touched.

#include <credens/widen.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "base/check.hpp"
#include "base/parallel.hpp"
#include "data/fingerprint.hpp"
#include "data/names.hpp"
#include "learn/evidence.hpp"
#include "learn/recipe.hpp"
#include "learn/statistics.hpp"
#include "learn/widen_rows.hpp"
#include "math/statistics.hpp"
#include "model/ensemble_state.hpp"
#include "model/member_rows.hpp"
#include "model/network_pass.hpp"
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

MatrixView row_block(MatrixView values, std::size_t first, std::size_t count) {
  return values.empty() ? MatrixView() : values.row_block(first, count);
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
  model::check_posteriors(state);
  return Ensemble(std::make_shared<const EnsembleState>(std::move(state)));
}

// ---- networks ----

double last_layer_squared_norm(const model::Mlp& network, bool random_bias) {
  double sum = 0;
  const Matrix weights = network.mean_weight();
  for (const double w : weights.values()) sum += w * w;
  if (random_bias) {
    for (const double b : network.mean_bias()) sum += b * b;
  }
  return sum;
}

void check_fits(const EnsembleState& state, std::size_t inputs, std::size_t targets) {
  require(state.has_networks(), ErrorCode::usage,
          "this model was made from arrays and has no networks: widen it from the outputs of its members");
  require(inputs == state.layout.inputs, ErrorCode::data, "the training rows have {} inputs, the model has {}", inputs,
          state.layout.inputs);
  require(targets == state.target_names.size(), ErrorCode::data, "the training rows have {} targets, the model has {}",
          targets, state.target_names.size());
}

/// The sums of all members, over rows that are added in order.
class NetworkSums {
 public:
  NetworkSums(const EnsembleState& narrow, const WidenPlan& plan, bool known_noise) : narrow_(narrow), plan_(plan) {
    for (const model::Member& member : narrow.members) {
      const bool shared_noise = member.network->shape().noise == NoiseKind::shared && !known_noise;
      statistics_.push_back(learn::no_rows(
          member.features, statistics_shape(plan, narrow.target_names.size(), member.features, shared_noise)));
      norms_.push_back(last_layer_squared_norm(*member.network, plan.random_bias));
    }
  }

  /// A multiple of math::statistics_block rows, but for the last. As many blocks at a time as there are threads: memory
  /// does not grow with the rows.
  void add(const data::RowBlock& rows) {
    model::require_known_noise(narrow_, rows.rows(), rows.noise_std);
    model::check_rows(narrow_, rows.inputs, rows.noise_std);
    const std::size_t blocks = (rows.rows() + math::statistics_block - 1) / math::statistics_block;
    const auto wave = static_cast<std::size_t>(base::thread_count(plan_.threads));
    for (std::size_t first = 0; first < blocks; first += wave) {
      std::vector<std::vector<MemberStatistics>> sums(std::min(wave, blocks - first));
      base::parallel_for(sums.size(), plan_.threads, [&](std::size_t i) { sums[i] = block_sums(rows, first + i); });
      for (const auto& block : sums) {
        for (std::size_t l = 0; l < block.size(); ++l) learn::add(statistics_[l], block[l]);
      }
    }
  }

  Ensemble widened(const model::DataSummary& data, PosteriorKind rung) const {
    EnsembleState wide = narrow_;
    wide.data = data;
    WidenPlan plan = plan_;
    plan.posterior = rung;
    return with_posteriors(std::move(wide), plan, statistics_, norms_, true);
  }

 private:
  /// One block at all members, a few rows at a time while they are in the cache.
  std::vector<MemberStatistics> block_sums(const data::RowBlock& rows, std::size_t block) const {
    const std::size_t start = block * math::statistics_block;
    const std::size_t size = std::min(math::statistics_block, rows.rows() - start);
    model::NetworkPass pass(narrow_);
    pass.take(rows.inputs.row_block(start, size), row_block(rows.noise_std, start, size), start);
    const Matrix targets = data::scaled(narrow_.target_scaler, rows.targets.row_block(start, size));
    std::vector<MemberStatistics> sums;
    for (std::size_t l = 0; l < narrow_.members.size(); ++l) {
      learn::BlockStatistics statistics(narrow_.members[l].features, statistics_[l].shape);
      for (std::size_t first = 0; first < size; first += model::forward_rows) {
        const std::size_t count = std::min(model::forward_rows, size - first);
        statistics.add({.member = pass.member(l, first, count),
                        .targets = targets.view().row_block(first, count),
                        .weights = rows_of(rows.weights, start + first, count)});
      }
      sums.push_back(std::move(statistics).value());
    }
    return sums;
  }

  const EnsembleState& narrow_;
  const WidenPlan& plan_;
  std::vector<MemberStatistics> statistics_;
  SquaredNorms norms_;
};

static_assert(data::block_rows == math::statistics_block, "sums are the same however rows arrive");

/// Copies of the next blocks of a source, one for each thread.
class Wave {
 public:
  Wave(data::RowSource& source, int threads)
      : source_(source), blocks_(static_cast<std::size_t>(base::thread_count(threads))) {}

  /// False: there are no more rows.
  bool read() {
    rows_ = 0;
    for (std::vector<double>* values : {&inputs_, &targets_, &weights_, &noise_std_}) values->clear();
    data::RowBlock block;
    for (std::size_t i = 0; i < blocks_ && source_.next(block); ++i) {
      rows_ += block.rows();
      append(block.inputs, inputs_);
      append(block.targets, targets_);
      append(block.noise_std, noise_std_);
      weights_.insert(weights_.end(), block.weights.begin(), block.weights.end());
    }
    return rows_ > 0;
  }

  data::RowBlock rows() const {
    return {.inputs = as_matrix(inputs_),
            .targets = as_matrix(targets_),
            .weights = weights_,
            .noise_std = as_matrix(noise_std_)};
  }

 private:
  static void append(MatrixView rows, std::vector<double>& values) {
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      values.insert(values.end(), rows.row(row).begin(), rows.row(row).end());
    }
  }

  MatrixView as_matrix(const std::vector<double>& values) const {
    return values.empty() ? MatrixView() : MatrixView(values.data(), rows_, values.size() / rows_);
  }

  data::RowSource& source_;
  std::size_t blocks_;
  std::size_t rows_ = 0;
  std::vector<double> inputs_;
  std::vector<double> targets_;
  std::vector<double> weights_;
  std::vector<double> noise_std_;
};

}  // namespace

Ensemble widen(const Ensemble& ensemble, const Dataset& train, const WidenOptions& options) {
  check_fits(ensemble.state(), train.inputs().cols(), train.targets().cols());
  const WidenPlan plan = make_plan(options, &ensemble.state());
  NetworkSums sums(ensemble.state(), plan, !train.noise_std().empty());
  sums.add({.inputs = train.inputs(),
            .targets = train.targets(),
            .weights = train.weights(),
            .noise_std = train.noise_std()});
  return sums.widened({.rows = train.rows(), .fingerprint = train.fingerprint()}, plan.posterior);
}

namespace {

std::vector<Ensemble> widen_rungs(const Ensemble& ensemble, data::RowSource& train, const WidenPlan& plan,
                                  std::span<const PosteriorKind> rungs) {
  const DatasetParts& layout = train.layout();
  check_fits(ensemble.state(), layout.inputs.cols(), layout.targets.cols());
  NetworkSums sums(ensemble.state(), plan, layout.noise_std.cols() > 0);
  const std::size_t count = train.count_rows();
  data::RowFingerprint fingerprint(layout, count);
  train.rewind();
  for (Wave wave(train, plan.threads); wave.read();) {
    const data::RowBlock rows = wave.rows();
    fingerprint.add(rows);
    sums.add(rows);
  }
  std::vector<Ensemble> wide;
  for (const PosteriorKind rung : rungs) {
    wide.push_back(sums.widened({.rows = count, .fingerprint = fingerprint.digits()}, rung));
  }
  return wide;
}

}  // namespace

Ensemble learn::widen(const Ensemble& ensemble, data::RowSource& train, const WidenOptions& options) {
  const WidenPlan plan = make_plan(options, &ensemble.state());
  return widen_rungs(ensemble, train, plan, std::array{plan.posterior}).front();
}

std::vector<Ensemble> learn::widen_each(const Ensemble& ensemble, data::RowSource& train,
                                        std::span<const PosteriorKind> rungs, int threads) {
  const bool has_full = std::ranges::find(rungs, PosteriorKind::full) != rungs.end();
  const PosteriorKind highest = has_full ? PosteriorKind::full : PosteriorKind::isotropic;
  return widen_rungs(ensemble, train, make_plan({.posterior = highest, .threads = threads}, &ensemble.state()), rungs);
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
  model::check(state);
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
    add_block(statistics, model::block_of(outputs, first, count), row_block(outputs.targets, first, count),
              rows_of(outputs.row_weights, first, count), plan.threads);
  }
  return with_posteriors(state_of(outputs), plan, statistics, squared_norms(outputs, plan.random_bias),
                         !outputs.targets.empty());
}

}  // namespace credens
