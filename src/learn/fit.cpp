// SPDX-License-Identifier: Apache-2.0

#include "learn/fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/bytes.hpp"
#include "base/check.hpp"
#include "base/memory.hpp"
#include "data/match.hpp"
#include "learn/class_expectation.hpp"
#include "learn/expectation.hpp"
#include "learn/recipe.hpp"
#include "math/statistics.hpp"
#include "model/class_predictive.hpp"
#include "model/marginal.hpp"
#include "model/member_source.hpp"

namespace credens {

namespace learn {

namespace {

/// Whether targets that are hard to believe are looked for.
bool may_leave_out_slips(const FitOptions& given) {
  return given.leave_out_slips.is_given() ? *given.leave_out_slips : given.recipe == Recipe::automatic;
}

/// Epistemic by aleatoric entropy of each row.
std::vector<double> entropy_ratios(const Ensemble& ensemble, const model::EncodedRows& rows) {
  const ClassPredictive predictive =
      model::class_predictive_of(ensemble.state(), model::networks_at(ensemble.state(), rows), 0);
  std::vector<double> ratios;
  for (std::size_t row = 0; row < predictive.rows(); ++row) {
    constexpr double least = 1e-300;
    ratios.push_back(predictive.epistemic[row] / std::max(predictive.aleatoric[row], least));
  }
  return ratios;
}

/// Epistemic by aleatoric variance [rows x q], or entropy of classes [rows].
std::vector<double> variance_ratios(const Ensemble& ensemble, const model::EncodedRows& rows) {
  if (ensemble.task() == Task::classification) return entropy_ratios(ensemble, rows);
  const Predictive predictive = model::predictive_of(ensemble.state(), model::networks_at(ensemble.state(), rows), 0);
  std::vector<double> ratios;
  for (std::size_t row = 0; row < predictive.rows(); ++row) {
    for (std::size_t k = 0; k < predictive.outputs(); ++k) {
      const model::Moments moments = model::moments_at(predictive.components(), row, k);
      ratios.push_back(moments.epistemic() / moments.aleatoric);
    }
  }
  return ratios;
}

/// The sums over the rows are divided by s^2, so those of a twin follow from its shift of log s^2. That leaves out what
/// is no part of it, known noise and the floor.
WideTwins widened_twins(model::EnsembleState narrow, const std::vector<Twin>& twins, const WidenPlan& plan,
                        std::vector<MemberSums> sums) {
  WideTwins found;
  if (twins.empty()) return found;
  for (std::size_t l = 0; l < twins.size(); ++l) {
    narrow.members[l].network = twins[l].network;
    scale(sums[l].statistics, std::exp(-twins[l].shift));
    found.is_tail.push_back(twins[l].shift < 0);
  }
  found.state = with_posteriors(std::move(narrow), plan, sums, false).state();
  return found;
}

Ensemble with_expectation(model::EnsembleState wide, const WideTwins& twins, const JudgingRows& judging, int threads) {
  if (wide.schema.is_classification()) {
    wide.expected_classes = class_expectation_of(wide, judging, threads);
  } else {
    wide.expected = expectation_of(wide, twins, judging, threads);
  }
  return Ensemble(std::make_shared<const model::EnsembleState>(std::move(wide)));
}

Ensemble without_posteriors(model::EnsembleState wide) {
  wide.posterior = PosteriorKind::delta;
  for (model::Member& member : wide.members) member.posterior = {};
  return Ensemble(std::make_shared<const model::EnsembleState>(std::move(wide)));
}

}  // namespace

Fit::Fit(std::unique_ptr<data::RowSource> source, const FitOptions& given, base::Team& team, const WindowSize& window)
    : team_(team),
      table_(std::move(source), window, {.slips = may_leave_out_slips(given), .inputs = true}),
      plan_(make_plan(given, table_)) {}

Fit::Fit(std::unique_ptr<data::RowSource> source, Plan plan, base::Team& team)
    : team_(team),
      table_(std::move(source), {}, {.slips = may_leave_out_slips(plan.options)}),
      plan_(std::move(plan)) {}

void Fit::check() const {
  learn::check(plan_.options, table_);
}

void Fit::set_validation(const Dataset& validation) {
  matched_validation_ = data::matched(validation, table_.schema());
  plan_.options.validation = matched_validation_ ? &*matched_validation_ : &validation;
  check();
  validation_ = make_training_set(*plan_.options.validation,
                                  table_.scaling(plan_.options.standardise_inputs, plan_.options.asinh_inputs));
}

const TrainingRows& Fit::rows() {
  if (!rows_) {
    rows_.emplace(table_, plan_.options, std::move(validation_));
    base::release_free_memory();
  }
  return *rows_;
}

std::vector<model::Member> Fit::train(const FitOptions& planned, std::span<const std::size_t> which,
                                      const OnMember& on_member) {
  plan_.options = planned;
  return train_members(rows(), planned, which, on_member);
}

Ensemble Fit::assemble(Finished finished) const {
  const FitOptions& options = finished.options;
  Scaling scaling = rows_ ? rows_->scaling() : table_.scaling(options.standardise_inputs, options.asinh_inputs);
  model::EnsembleState state;
  state.weights = std::move(finished.weights);
  state.members = std::move(finished.members);
  state.total_members = finished.total_members;
  state.decisions = std::move(finished.decisions);
  state.encoder = std::move(scaling.inputs);
  state.schema = table_.schema();
  state.schema.classes = table_.classes().names();
  state.schema.is_task_found = false;  // from now on it is the model's
  state.target_scaler = state.schema.is_classification() ? data::identity_scaler(table_.outputs()) : scaling.targets;
  for (auto* column : {&state.schema.weight, &state.schema.group, &state.schema.time}) {
    column->reset();  // which row counts how much, and with which others, is not the model's business
  }
  for (data::Column& input : state.schema.inputs) input.is_wanted = false;  // what is an input now remains one
  state.prior_precision = options.prior_precision;
  state.options = stored_options(options, table_.fold_units());
  state.seed = options.seed;
  state.data = data();
  state.row_hashes = table_.summary().sketch.hashes();
  model::check(state);
  return Ensemble(std::make_shared<const model::EnsembleState>(std::move(state)));
}

Ensemble Fit::part(std::vector<model::Member> members) const {
  std::ranges::sort(members, {}, &model::Member::index);
  return assemble(as_trained(plan_, std::move(members)));
}

/// Held-out rows say what to expect of the widened ensemble.
Ensemble Fit::narrow(std::vector<model::Member> members) {
  if (*plan_.options.folds == 0) return assemble(finish(rows(), plan_, std::move(members), team_));
  return without_posteriors(wide(std::move(members)).state());
}

Ensemble Fit::wide(std::vector<model::Member> members) {
  Finished finished = finish(rows(), plan_, std::move(members), team_);
  base::require(!plan_.options.stop.stop_requested(), ErrorCode::interrupted, "interrupted");
  std::vector<MemberSums> sums = std::move(finished.sums);
  if (sums.empty()) sums = sum_rows(rows(), finished.members, finished.options, finished.options.posterior, team_);
  const int threads = finished.options.threads;
  const std::optional<JudgingRows> judging = std::move(finished.judging);
  const std::vector<Twin> twins = std::move(finished.twins);
  const Ensemble narrow = assemble(std::move(finished));
  const WidenPlan plan = make_plan({.threads = threads}, &narrow.state());
  const Ensemble wide = with_posteriors(narrow.state(), plan, sums);
  if (!judging) return wide;
  return with_expectation(wide.state(), widened_twins(narrow.state(), twins, plan, std::move(sums)), *judging, threads);
}

double Fit::median_ratio(const Ensemble& ensemble) {
  constexpr std::size_t enough = std::size_t{1} << 20;
  const std::size_t step = (table_.rows() + enough - 1) / enough;
  std::vector<std::string> own;
  std::vector<double> weights;
  const NextBlock next_block = blocks_of(rows());
  EncodedBlock block;
  for (std::size_t number = 0; next_block(number % step == 0, block); ++number) {
    if (number % step != 0) continue;
    weights.insert(weights.end(), block.weights.begin(), block.weights.end());
    if (number / step % team_.size() != team_.rank()) continue;
    base::append_values(own.emplace_back(), std::span<const double>(variance_ratios(ensemble, block.encoded)));
  }
  base::release_free_memory();
  std::vector<std::vector<double>> ratios(ensemble.task() == Task::classification ? 1 : ensemble.outputs());
  for (const std::string& bytes : base::gather_dealt(team_, std::move(own))) {
    base::ByteReader reader(bytes);
    for (std::size_t k = 0; !reader.at_end(); k = (k + 1) % ratios.size()) ratios[k].push_back(reader.value<double>());
  }
  if (!team_.leads()) return 0;
  double sum = 0;
  for (const std::vector<double>& output : ratios) sum += math::weighted_median(output, weights);
  return sum / static_cast<double>(ratios.size());
}

namespace {

/// All members of a plan. Validation rows are checked with the rest when they are set.
std::vector<model::Member> train_all(Fit& fit) {
  const FitOptions planned = fit.plan().options;
  if (planned.validation != nullptr) {
    fit.set_validation(*planned.validation);
  } else {
    fit.check();
  }
  std::vector<std::size_t> all(*planned.members);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return fit.train(planned, all);
}

}  // namespace

}  // namespace learn

Ensemble fit(const Dataset& train, const FitOptions& options) {
  learn::Fit fit(data::rows_of(train), options);
  return fit.wide(learn::train_all(fit));
}

Ensemble fit_members(const Dataset& train, const FitOptions& options) {
  learn::Fit fit(data::rows_of(train), options);
  return fit.narrow(learn::train_all(fit));
}

}  // namespace credens
