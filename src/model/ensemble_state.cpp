// SPDX-License-Identifier: Apache-2.0

#include "model/ensemble_state.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "data/classes.hpp"
#include "data/date.hpp"
#include "math/statistics.hpp"
#include "model/likelihood.hpp"
#include "model/names.hpp"
#include "model/weights.hpp"

namespace credens::model {

namespace {

template <class... Args>
void require(bool holds, fmt::format_string<Args...> sentence, Args&&... args) {
  base::require(holds, ErrorCode::usage, sentence, std::forward<Args>(args)...);
}

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

void check_members(const EnsembleState& state) {
  require(!state.members.empty(), "an ensemble has no members, expected at least 1");
  require(state.total_members >= state.members.size(), "an ensemble of {} members holds {}", state.total_members,
          state.members.size());
  for (std::size_t l = 0; l < state.members.size(); ++l) {
    const Member& member = state.members[l];
    require(member.index < state.total_members, "a member has index {}, expected one below {}", member.index,
            state.total_members);
    require(l == 0 || state.members[l - 1].index < member.index, "member {} follows member {}, expected rising indices",
            member.index, l == 0 ? 0 : state.members[l - 1].index);
    require(member.features > 0, "member {} has no features, expected at least 1", member.index);
    require((member.network != nullptr) == state.has_networks(),
            "member {} differs from the first in having a network, expected all or none", member.index);
  }
}

void check_weights_of(const EnsembleState& state) {
  require(state.weights.size() == state.members.size(), "an ensemble of {} members has {} weights",
          state.members.size(), state.weights.size());
  check_mixture_weights(state.weights);
}

void check_scaler(const data::Scaler& scaler, std::string_view of) {
  require(scaler.scale.size() == scaler.shift.size(), "the scaler of the {} has {} shifts and {} scales", of,
          scaler.shift.size(), scaler.scale.size());
  require(all_finite(scaler.shift), "the scaler of the {} has a shift that is not finite", of);
  for (const double scale : scaler.scale) {
    require(std::isfinite(scale) && scale > 0,
            "the scaler of the {} has the scale {}, expected a finite number above 0", of, scale);
  }
}

void check_bends(const data::Scaler& scaler) {
  const std::size_t bends = scaler.width.size();
  require(scaler.centre.size() == bends && (bends == 0 || bends == scaler.cols()),
          "the scaler of {} inputs has {} centres and {} widths, expected none or one of each for every input",
          scaler.cols(), scaler.centre.size(), bends);
  require(all_finite(scaler.centre), "the scaler of the inputs has a centre that is not finite");
  for (const double width : scaler.width) {
    require(std::isfinite(width) && width >= 0,
            "the scaler of the inputs has the width {}, expected a finite number that is not negative", width);
  }
}

void check_classes(const EnsembleState& state) {
  const std::size_t targets = state.schema.targets.size();
  const std::size_t classes = state.schema.classes.size();
  require(classes >= 2 && classes <= data::most_classes, "an ensemble has {} classes, expected 2 to {}", classes,
          data::most_classes);
  require(state.target_scaler == data::identity_scaler(classes),
          "an ensemble of {} classes has {} outputs with a scale", classes, state.target_scaler.cols());
  require(targets == 1 || targets == classes, "an ensemble of {} classes has {} targets", classes, targets);
  require(!state.schema.has_noise && state.schema.noise.empty(), "an ensemble of classes has known noise");
  require(!data::first_duplicate(state.schema.classes), "two classes of an ensemble have the same name");
  static_cast<void>(data::Classes(state.schema));  // throws for names that are no numbers where the target has numbers
}

void check_targets(const EnsembleState& state) {
  const std::size_t q = state.target_scaler.cols();
  require(q > 0, "an ensemble has no outputs, expected at least 1");
  check_scaler(state.target_scaler, "targets");
  require(state.target_scaler.width.empty() && state.target_scaler.centre.empty(),
          "the scaler of the targets bends them, which only inputs may be");
  for (const double scale : state.target_scaler.scale) {
    require(is_target_scale(scale), "the scaler of the targets has the scale {}, expected a number between {} and {}",
            scale, least_target_scale, largest_target_scale);
  }
  const std::size_t targets = state.schema.targets.size();
  if (state.schema.is_classification()) return check_classes(state);
  require(targets == q, "an ensemble of {} outputs has {} targets", q, targets);
  const std::size_t noise = state.schema.noise.size();
  require(noise <= 1 || noise == q, "an ensemble of {} outputs has {} columns of noise", q, noise);
}

void check_encoding(const data::InputEncoding& encoding, const data::Column& column) {
  require(encoding.kind == column.kind, "an input is encoded as another kind of column than it is");
  const bool is_calendar = encoding.kind == ColumnKind::date && !encoding.codes.empty();
  const std::size_t levels = is_calendar ? data::days_of_calendar : column.levels.size();
  require(encoding.codes.size() == levels, "an input of {} levels has {} codes", levels, encoding.codes.size());
  require(std::ranges::all_of(encoding.codes, [&](std::uint32_t code) { return code <= encoding.rare_code(); }),
          "a level has a code beyond those that were learned");
}

void check_inputs(const EnsembleState& state) {
  const std::size_t d = state.encoder.inputs();
  const std::vector<data::Column>& inputs = state.schema.inputs;
  check_scaler(state.encoder.scaler, "inputs");
  check_bends(state.encoder.scaler);
  const std::vector<data::InputEncoding>& encodings = state.encoder.columns();
  require(encodings.empty() || encodings.size() == d, "an ensemble of {} inputs encodes {}", d, encodings.size());
  require(inputs.size() == d, "an ensemble scales {} inputs but was trained on {}", d, inputs.size());
  for (std::size_t i = 0; i < encodings.size(); ++i) check_encoding(encodings[i], inputs[i]);
  require(data::positions_of(inputs).size() == d, "an ensemble does not know the positions of its inputs");
  data::check_positions(state.schema, ErrorCode::usage);
}

void check_network(const EnsembleState& state, const Member& member) {
  const MlpShape& shape = member.network->shape();
  require(shape.row_width() == state.encoder.width() && shape.outputs == state.target_scaler.cols(),
          "member {} maps {} inputs to {} outputs, expected {} to {}", member.index, shape.row_width(), shape.outputs,
          state.encoder.width(), state.target_scaler.cols());
  require(shape.flags == state.encoder.flags() && shape.tables == state.encoder.tables(),
          "member {} has other flags or tables of words than the ensemble's inputs", member.index);
  require(shape.task == state.schema.task, "member {} is of another task than the ensemble", member.index);
  require(shape.features() == member.features, "member {} has {} features but its network {}", member.index,
          member.features, shape.features());
  require(shape.noise != NoiseKind::known || state.schema.has_noise,
          "member {} takes its noise from the data, but the ensemble has none", member.index);
  require(math::all_finite(member.network->parameters()), "member {} has a parameter that is not finite", member.index);
}

void check_factor(const Matrix& factor, std::size_t size, std::size_t member) {
  require(factor.rows() == size && factor.cols() == size,
          "a posterior factor of member {} is {} x {}, expected {} x {}", member, factor.rows(), factor.cols(), size,
          size);
  require(all_finite(factor.values()), "a posterior factor of member {} is not finite", member);
  for (std::size_t i = 0; i < size; ++i) {
    const auto below = factor.row(i).first(i);
    require(std::all_of(below.begin(), below.end(), [](double value) { return value == 0; }),
            "a posterior factor of member {} is not upper triangular", member);
  }
}

void check_full(const MemberPosterior& posterior, std::size_t outputs, std::size_t size, std::size_t member) {
  require(posterior.factor.size() == 1 || posterior.factor.size() == outputs,
          "the posterior of member {} has {} factors, expected 1 or {}", member, posterior.factor.size(), outputs);
  for (const Matrix& factor : posterior.factor) check_factor(factor, size, member);
}

void check_diagonal(const MemberPosterior& posterior, std::size_t outputs, std::size_t size, std::size_t member) {
  const Matrix& variance = posterior.variance;
  require(variance.rows() == outputs && variance.cols() == size,
          "the posterior variance of member {} is {} x {}, expected {} x {}", member, variance.rows(), variance.cols(),
          outputs, size);
  const auto values = variance.values();
  require(all_finite(values) && std::all_of(values.begin(), values.end(), [](double value) { return value >= 0; }),
          "the posterior variance of member {} has a value that is negative or not finite", member);
}

void check_posterior(const EnsembleState& state, const Member& member) {
  const MemberPosterior& posterior = member.posterior;
  const std::size_t outputs = Likelihood{state.schema.task, state.target_scaler.cols()}.covariances();
  const std::size_t size = random_weights(posterior, member.features);
  require(posterior.kind == state.posterior, "member {} has the posterior {}, the ensemble {}", member.index,
          base::name_of(posterior.kind), base::name_of(state.posterior));
  require(std::isfinite(posterior.gamma) && posterior.gamma >= 0,
          "gamma of member {} is {}, expected a finite number that is not negative", member.index, posterior.gamma);
  if (posterior.kind == PosteriorKind::diagonal) check_diagonal(posterior, outputs, size, member.index);
  if (posterior.kind == PosteriorKind::full) check_full(posterior, outputs, size, member.index);
}

}  // namespace

std::optional<std::string> stored_option(const EnsembleState& state, std::string_view name) {
  for (const auto& [stored_name, value] : state.options) {
    if (stored_name == name) return base::to_text(value);
  }
  return std::nullopt;
}

void check_promise(const EnsembleState& state) {
  if (!state.promise) return;
  const auto& [column, edges, groups, training_inputs, calibration_inputs] = *state.promise;
  require(state.schema.task == Task::regression, "a promise is given, which models of classes do not have");
  require(!groups.empty(), "a promise has no groups, expected at least 1");
  require(column.empty() || edges.empty(), "a promise is divided by a column and by ignorance, expected one of them");
  require(edges.empty() || edges.size() + 1 == groups.size(), "a promise has {} groups and {} edges of ignorance",
          groups.size(), edges.size());
  require(all_finite(edges) && std::ranges::is_sorted(edges), "the edges of a promise are no ascending numbers");
  require(groups.size() == 1 || !column.empty() || !edges.empty(), "a promise has {} groups, but nothing divides them",
          groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto& [name, scores] = groups[g];
    require(column.empty() || g == 0 || groups[g - 1].name < name, "the groups of a promise are not in their order");
    require(scores.rows() > 0 && scores.cols() == state.target_scaler.cols(),
            "the scores of group {} of a promise are {} x {}, expected rows x {}", g, scores.rows(), scores.cols(),
            state.target_scaler.cols());
    require(std::ranges::none_of(scores.values(), [](double score) { return std::isnan(score); }),
            "group {} of a promise has a score that is no number", g);
  }
  require(training_inputs.empty() == calibration_inputs.empty(),
          "a promise has inputs of training rows or of calibration rows, expected both or none");
  for (const Matrix* inputs : {&training_inputs, &calibration_inputs}) {
    require(inputs->empty() || (state.has_networks() && inputs->cols() == state.encoder.inputs()),
            "the inputs of a promise have {} columns, expected {}", inputs->cols(), state.encoder.inputs());
    require(std::ranges::none_of(inputs->values(), [](double value) { return std::isinf(value); }),
            "the inputs of a promise have a value that is infinite");
  }
}

void check(const EnsembleState& state) {
  check_members(state);
  check_weights_of(state);
  check_targets(state);
  if (state.has_networks()) check_inputs(state);
  for (const Member& member : state.members) {
    if (member.network) check_network(state, member);
  }
  check_posteriors(state);
  check_promise(state);
}

void check_posteriors(const EnsembleState& state) {
  require(std::isfinite(state.prior_precision) && state.prior_precision >= 0,
          "lambda is {}, expected a finite number that is not negative", state.prior_precision);
  for (const Member& member : state.members) check_posterior(state, member);
}

}  // namespace credens::model
