// SPDX-License-Identifier: Apache-2.0
//
// One pass over the training rows, then closed forms: the networks are not touched.

#include <credens/widen.hpp>

#include "base/check.hpp"
#include "learn/network_sums.hpp"
#include "learn/widen_rows.hpp"
#include "model/member_source.hpp"

namespace credens {

using base::require;
using model::EnsembleState;

namespace {

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

Ensemble widen(const Ensemble& ensemble, const Dataset& train, const WidenOptions& options) {
  return learn::widen(ensemble, *data::rows_of(train), options);
}

Ensemble learn::widen(const Ensemble& ensemble, data::RowSource& train, const WidenOptions& options, base::Team& team) {
  const EnsembleState& state = ensemble.state();
  check_fits(state, train.schema());
  const WidenPlan plan = learn::make_plan(options, &state);
  SourceBlocks blocks(train, state.input_scaler, state.target_scaler);
  const std::vector<MemberSums> sums =
      sum_rows(state.members, state.schema.targets.size(), train.schema().has_noise, blocks, plan, team);
  EnsembleState wide = state;
  wide.data = {.rows = blocks.rows(), .fingerprint = blocks.fingerprint()};
  return with_posteriors(std::move(wide), plan, sums);
}

}  // namespace credens
