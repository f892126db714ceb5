// SPDX-License-Identifier: Apache-2.0
//
// From what members say to the moments of their mixture, as model/member_source.cpp, predictive.cpp and
// class_predictive.cpp compute them in C++.
//
// Letters: n rows, q outputs or classes, w_l weights, m_l means, s_l^2 noise and e_l own epistemic variance of members.

#include "store/onnx_export.hpp"

#include <nlohmann/json.hpp>

#include <credens/onnx.hpp>
#include <credens/version.hpp>

#include "base/file.hpp"
#include "model/member_source.hpp"
#include "model/names.hpp"
#include "store/json.hpp"
#include "store/model_file.hpp"
#include "store/onnx_inputs.hpp"
#include "store/onnx_members.hpp"
#include "store/onnx_softmax.hpp"

namespace credens::store {

namespace {

using model::EnsembleState;

// ---- moments ----

/// sum_l w_l x_l: the first axis goes.
class WeightedSum {
 public:
  WeightedSum(OnnxGraph& graph, const std::vector<double>& weights)
      : graph_(graph),
        weights_(graph.constant("member_weights", {static_cast<std::int64_t>(weights.size()), 1, 1},
                                std::span<const double>(weights))) {}

  OnnxValue operator()(const OnnxValue& x) const { return graph_.sum(graph_.multiply(weights_, x), 0); }

 private:
  OnnxGraph& graph_;
  OnnxValue weights_;
};

/// m_0 + sum_l w_l (m_l - m_0): members that agree have exactly their common mean.
OnnxValue mixture_mean(OnnxGraph& graph, const WeightedSum& weighted_sum, const OnnxValue& means) {
  const std::int64_t first[] = {0};
  const OnnxValue origin = graph.node("Gather", {means, graph.constant("first_member", {}, first)}, {{"axis", 0}});
  return graph.add(origin, weighted_sum(graph.subtract(means, origin)));
}

/// Scale and shift of the targets as constants of the graph.
struct Targets {
  OnnxValue scale;          ///< [q]
  OnnxValue squared_scale;  ///< [q]
  OnnxValue shift;          ///< [q]
};

Targets targets_of(OnnxGraph& graph, const data::Scaler& scaler) {
  std::vector<double> squares = scaler.scale;
  for (double& scale : squares) scale *= scale;
  return {.scale = graph.vector("target_scale", scaler.scale),
          .squared_scale = graph.vector("target_squared_scale", squares),
          .shift = graph.vector("target_shift", scaler.shift)};
}

/// Noise variance of each row in network units, [n, q]: the learned one, if any, plus the known one.
OnnxValue with_known_noise(OnnxGraph& graph, const Targets& targets, const std::optional<OnnxValue>& learned,
                           const OnnxValue& noise_std) {
  const OnnxValue known = graph.square(graph.divide(noise_std, targets.scale));
  return learned ? graph.add(*learned, known) : graph.node("Max", {known, graph.number(model::noise_floor)});
}

/// The learned noise sum_l w_l s_l^2 plus the known noise of each row; at least one of them is given. `like` has the
/// shape [n, q] of the result.
OnnxValue aleatoric_variance(OnnxGraph& graph, const Targets& targets, const std::optional<OnnxValue>& learned,
                             const std::optional<OnnxValue>& noise_std, const OnnxValue& like) {
  OnnxValue variance = learned.value_or("");
  if (noise_std) variance = with_known_noise(graph, targets, learned, *noise_std);
  return graph.node("Expand", {graph.multiply(variance, targets.squared_scale), graph.node("Shape", {like})});
}

/// sum_l w_l (m_l - m)^2 + sum_l w_l e_l: squares with weights that are not negative.
OnnxValue epistemic_variance(OnnxGraph& graph, const Targets& targets, const WeightedSum& weighted_sum,
                             const OnnxValue& deviations, const std::optional<OnnxValue>& within) {
  const OnnxValue between = weighted_sum(graph.square(deviations));
  if (!within) return between;
  return graph.add(between, graph.multiply(weighted_sum(*within), targets.squared_scale));
}

// ---- metadata ----

/// Counts of classes have columns of their own; `credens predict` calls what they say y.
std::vector<std::string> output_names(const data::Schema& schema) {
  return schema.has_counts() ? std::vector<std::string>{"y"} : schema.target_names();
}

Metadata metadata_of(const EnsembleState& state) {
  const bool has_classes = state.schema.is_classification();
  Metadata metadata = {{"version", std::string(version())},
                       {"input_names", Json(number_names(state)).dump()},
                       {"output_names", Json(output_names(state.schema)).dump()}};
  const auto add = [&](std::string_view key, std::string text) { metadata.emplace_back(key, std::move(text)); };
  if (has_classes) add("classes", Json(state.schema.classes).dump());
  if (!has_classes) add("noise_names", Json(data::names_of(state.schema.noise)).dump());
  add("units",
      fmt::format("those of the training data; {}", has_classes ? "entropies in nats" : "variances in their squares"));
  add("members", fmt::format("{}", state.members.size()));
  if (!has_classes) add("noise", std::string(base::name_of(state.members.front().network->shape().noise)));
  add("posterior", std::string(base::name_of(state.posterior)));
  add("lambda", base::to_text(state.prior_precision));
  add("rows", fmt::format("{}", state.data.rows));
  add("fingerprint", state.data.fingerprint);
  const Metadata kinds = kind_metadata(state);
  metadata.insert(metadata.end(), kinds.begin(), kinds.end());
  return metadata;
}

// ---- the graph ----

void add_outputs(OnnxGraph& graph, const EnsembleState& state, const MemberValues& members,
                 const WeightedSum& weighted_sum, const std::optional<OnnxValue>& noise_std) {
  const Targets targets = targets_of(graph, state.target_scaler);
  const OnnxValue means = graph.add(graph.multiply(members.mean, targets.scale), targets.shift);
  const OnnxValue mean = mixture_mean(graph, weighted_sum, means);
  const auto learned = members.noise ? std::optional(weighted_sum(*members.noise)) : std::nullopt;
  const OnnxValue aleatoric = aleatoric_variance(graph, targets, learned, noise_std, mean);
  const OnnxValue epistemic =
      epistemic_variance(graph, targets, weighted_sum, graph.subtract(means, mean), members.within);

  const std::string of = base::join(state.schema.target_names(), ", ");
  const OnnxShape table = {open_rows, static_cast<std::int64_t>(state.target_scaler.cols())};
  graph.output("mean", mean, table, "the prediction of " + of);
  graph.output("aleatoric_variance", aleatoric, table, "noise of " + of);
  graph.output("epistemic_variance", epistemic, table, "ignorance of " + of);
  graph.output("total_variance", graph.add(aleatoric, epistemic), table, "both variances of " + of);
}

/// Variance of the class's probability over members and their posteriors: squares and variances, never negative.
OnnxValue probability_variance(OnnxGraph& graph, const WeightedSum& weighted_sum, const SoftmaxMoments& members,
                               const OnnxValue& mean) {
  const OnnxValue between = weighted_sum(graph.square(graph.subtract(members.probability, mean)));
  return members.variance ? graph.add(between, weighted_sum(*members.variance)) : between;
}

void add_class_outputs(OnnxGraph& graph, const EnsembleState& state, const SoftmaxMoments& members,
                       const WeightedSum& weighted_sum) {
  const auto c = static_cast<std::int64_t>(state.target_scaler.cols());
  const OnnxValue probability = weighted_sum(members.probability);
  const OnnxValue total = entropy(graph, probability);
  const OnnxValue aleatoric = graph.node("Min", {weighted_sum(members.entropy), total});
  const OnnxValue most_probable = graph.node("ArgMax", {probability}, {{"axis", -1}, {"keepdims", 0}});
  const auto of_row = [&](const OnnxValue& x) { return graph.reshaped(x, {-1}); };

  const std::string of = base::join(output_names(state.schema), ", ");
  const OnnxShape table = {open_rows, c};
  graph.output("probability", probability, table, "of each class of " + of);
  graph.output("class", of_row(most_probable), {open_rows}, "number of the most probable class, from 0", OnnxType::i64);
  graph.output("entropy", of_row(total), {open_rows}, "of the probabilities, in nats");
  graph.output("aleatoric", of_row(aleatoric), {open_rows}, "its part that is randomness of " + of);
  graph.output("epistemic", of_row(graph.subtract(total, aleatoric)), {open_rows}, "its part that is ignorance");
  graph.output("epistemic_variance", probability_variance(graph, weighted_sum, members, probability), table,
               "variance of each probability: ignorance");
}

}  // namespace

std::string encode_onnx(const Ensemble& ensemble) {
  const EnsembleState& state = ensemble.state();
  model::require_networks(state);
  check_storable(state);
  OnnxGraph graph;
  const RowInputs inputs = add_row_inputs(graph, state);
  std::optional<OnnxValue> noise_std;
  if (state.schema.has_noise) {
    noise_std = graph.input("noise_std", ensemble.outputs(), "known standard deviation of each row's noise, above 0");
  }
  std::vector<double> weights;
  const std::vector<MemberGroup> groups = member_groups(state, weights);
  const MemberValues members = member_values(graph, groups, encoded(graph, state, inputs));
  const WeightedSum weighted_sum(graph, weights);
  if (state.schema.is_classification()) {
    add_class_outputs(graph, state,
                      softmax_moments(graph, members.mean, members.within, weights.size(), state.target_scaler.cols()),
                      weighted_sum);
  } else {
    add_outputs(graph, state, members, weighted_sum, noise_std);
  }
  return graph.encode(metadata_of(state));
}

}  // namespace credens::store

namespace credens {

void export_onnx(const Ensemble& ensemble, const std::filesystem::path& path) {
  const std::string bytes = store::encode_onnx(ensemble);
  base::OutputFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace credens
