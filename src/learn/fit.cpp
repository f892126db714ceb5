// SPDX-License-Identifier: Apache-2.0

#include <credens/fit.hpp>

#include <algorithm>
#include <numeric>

#include "learn/finish.hpp"
#include "learn/recipe.hpp"
#include "learn/train_members.hpp"
#include "learn/training_set.hpp"

namespace credens {

namespace learn {

namespace {

data::InputLayout input_layout(const DatasetParts& train) {
  return {.input_names = train.input_names,
          .inputs = train.inputs.cols(),
          .positions = train.input_columns,
          .training_cols = train.table_columns};
}

std::vector<model::Member> by_index(std::vector<model::Member> members) {
  std::vector<std::size_t> order(members.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t position) { return members[position].index; });
  std::vector<model::Member> sorted;
  for (const std::size_t position : order) sorted.push_back(std::move(members[position]));
  return sorted;
}

}  // namespace

Ensemble assemble(const TrainingRows& train, const FitOptions& options, TrainedMembers trained) {
  Scaling scaling = make_scaling(train, options.standardise_inputs, options.bend_inputs);
  model::EnsembleState state;
  const std::size_t count = trained.members.size();
  state.weights =
      trained.weights.empty() ? std::vector<double>(count, 1 / static_cast<double>(count)) : std::move(trained.weights);
  state.members = by_index(std::move(trained.members));
  state.total_members = trained.is_whole ? count : *options.members;
  state.decisions = std::move(trained.decisions);
  state.input_scaler = std::move(scaling.inputs);
  state.target_scaler = std::move(scaling.targets);
  state.layout = input_layout(train.layout());
  state.target_names = train.layout().target_names;
  state.target_columns = train.layout().target_columns;
  state.noise_names = train.layout().noise_names;
  state.known_noise = train.has_noise();
  state.prior_precision = options.prior_precision;
  state.options = stored_options(options);
  state.seed = options.seed;
  state.data = {.rows = train.rows(), .fingerprint = train.summary().fingerprint};
  model::check(state);
  return Ensemble(std::make_shared<const model::EnsembleState>(std::move(state)));
}

}  // namespace learn

Ensemble fit(const Dataset& train, const FitOptions& options) {
  const learn::TrainingRows rows(train);
  const learn::Plan plan = learn::make_plan(options, rows);
  learn::check(plan.options, rows);
  std::vector<std::size_t> all(*plan.options.members);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return learn::finish(rows, plan, learn::train_members(rows, plan.options, all));
}

}  // namespace credens
