// SPDX-License-Identifier: Apache-2.0

#include "learn/array_ensemble.hpp"

#include <string>

#include "base/check.hpp"
#include "data/scaler.hpp"
#include "data/table.hpp"
#include "model/weights.hpp"

namespace credens::learn {

using model::EnsembleState;

namespace {

std::vector<double> or_constant(const std::vector<double>& values, std::size_t count, double constant) {
  return values.empty() ? std::vector<double>(count, constant) : values;
}

std::vector<std::string> class_names(const MemberOutputs& described) {
  std::vector<std::string> names = described.classes;
  for (std::size_t c = names.size(); c < described.outputs(); ++c) names.push_back(std::to_string(c));
  return names;
}

/// Words as classes are the levels of their column.
void describe_classes(const MemberOutputs& described, EnsembleState& state) {
  state.schema.task = Task::classification;
  state.schema.classes = class_names(described);
  state.target_scaler = data::identity_scaler(described.outputs());
  if (described.classes.empty() || described.has_number_classes) return;
  state.schema.targets.front().kind = ColumnKind::category;
  state.schema.targets.front().levels = described.classes;
}

}  // namespace

WidenPlan plan_for_arrays(const WidenOptions& options, Task task) {
  base::require(options.evidence || options.prior_precision, ErrorCode::usage,
                "widening arrays needs lambda, the prior precision that their networks were trained with");
  WidenPlan plan = make_plan(options, nullptr);
  if (!options.posterior && task == Task::classification) plan.posterior = PosteriorKind::full;
  return plan;
}

MemberOutputs without_rows(const MemberOutputs& outputs) {
  return {.last_layer = outputs.last_layer,
          .member_weights = outputs.member_weights,
          .target_scale = outputs.target_scale,
          .target_shift = outputs.target_shift,
          .target_names = outputs.target_names,
          .classes = outputs.classes,
          .has_number_classes = outputs.has_number_classes};
}

MemberOutputs with_shapes(const MemberOutputs& about, const std::vector<std::size_t>& features,
                          const model::Likelihood& likelihood) {
  MemberOutputs shaped = without_rows(about);
  const bool has_classes = likelihood.task == Task::classification;
  for (const std::size_t p : features) {
    shaped.features.emplace_back(0, p);
    (has_classes ? shaped.logits : shaped.mean).emplace_back(0, likelihood.outputs);
    if (!has_classes) shaped.variance.emplace_back(0, likelihood.outputs);
  }
  check(shaped);
  return shaped;
}

EnsembleState array_state(const MemberOutputs& described, std::size_t rows) {
  const std::size_t members = described.members();
  const std::size_t q = described.outputs();
  const std::size_t targets = described.has_classes() ? 1 : q;
  EnsembleState state;
  for (std::size_t l = 0; l < members; ++l)
    state.members.push_back({.index = l, .features = described.features[l].cols()});
  state.total_members = members;
  state.weights = model::normalised(or_constant(described.member_weights, members, 1.0));
  state.target_scaler = {.shift = or_constant(described.target_shift, q, 0.0),
                         .scale = or_constant(described.target_scale, q, 1.0)};
  const std::vector<std::string> names =
      described.target_names.empty() ? data::default_target_names(targets) : described.target_names;
  state.schema.targets = data::make_columns(names, {}, targets, "output", ErrorCode::data);
  if (described.has_classes()) describe_classes(described, state);
  state.data.rows = rows;
  model::check(state);
  return state;
}

std::optional<double> squared_norm(const MemberOutputs& outputs, std::size_t member, bool random_bias) {
  if (random_bias || outputs.last_layer.empty()) return std::nullopt;
  const Task task = outputs.has_classes() ? Task::classification : Task::regression;
  return last_layer_squared_norm(outputs.last_layer[member], {}, task);
}

}  // namespace credens::learn
