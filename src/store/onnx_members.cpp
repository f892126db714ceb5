// SPDX-License-Identifier: Apache-2.0

#include "store/onnx_members.hpp"

#include <algorithm>
#include <limits>
#include <numbers>
#include <utility>

namespace credens::store {

namespace {

using model::Member;
using model::MlpShape;

std::int64_t size_of(std::size_t count) {
  return static_cast<std::int64_t>(count);
}

const MlpShape& shape_of(const MemberGroup& group) {
  return group.front()->network->shape();
}

// ---- constants of a group ----

/// Tensor [g, rows, cols] of the values that `append` gives for each member.
template <class T, class Append>
OnnxValue stacked(OnnxGraph& graph, const MemberGroup& group, std::string_view name, std::size_t rows, std::size_t cols,
                  const Append& append) {
  std::vector<T> values;
  values.reserve(group.size() * rows * cols);
  for (const Member* member : group) append(*member, values);
  return graph.constant(name, {size_of(group.size()), size_of(rows), size_of(cols)}, std::span<const T>(values));
}

template <class T>
void append_all(std::span<const T> from, std::vector<T>& to) {
  to.insert(to.end(), from.begin(), from.end());
}

void append_transposed(const BasicMatrix<float>& weight, std::vector<float>& values) {
  for (std::size_t in = 0; in < weight.cols(); ++in) {
    for (std::size_t out = 0; out < weight.rows(); ++out) values.push_back(weight(out, in));
  }
}

/// [1, x]: with the constant in front, a layer's bias is the first term of its sums, as in math/kernels.hpp, so that
/// runtimes that add in order give the bits of those kernels.
OnnxValue with_one(OnnxGraph& graph, const OnnxValue& x) {
  const OnnxValue shape = graph.node("Shape", {graph.last_axis_part(x, 0, 1)});
  return graph.concatenated({graph.node("Expand", {graph.number(1.0F), shape}), x}, -1);
}

/// x W^T + b for each member's layer; `x` begins with the constant 1.
OnnxValue layer(OnnxGraph& graph, const MemberGroup& group, std::size_t index, const OnnxValue& x) {
  const math::PanelShape panel = shape_of(group).layer(index);
  return graph.product(
      x, stacked<float>(graph, group, "layer", 1 + panel.in, panel.out, [&](const Member& member, auto& values) {
        append_all<float>(member.network->bias(index), values);
        append_transposed(member.network->weight(index), values);
      }));
}

// ---- networks ----

/// Sine and cosine of 2 pi c z. The product of two floats is exact in double, and so is what is left of it when whole
/// turns are taken away; beyond most_turns none are left. A cosine is the sine a quarter of a turn later: not every
/// runtime has cosines in double.
OnnxValue waves(OnnxGraph& graph, const OnnxValue& turns) {
  const OnnxValue rest = graph.subtract(turns, graph.node("Round", {turns}));
  const OnnxValue is_near =
      graph.node("Less", {graph.node("Abs", {turns}), graph.number(static_cast<double>(math::most_turns))});
  const OnnxValue part = graph.node("Where", {is_near, rest, graph.number(0.0)});
  const OnnxValue parts = graph.concatenated({part, graph.add(part, graph.number(0.25))}, -1);
  return graph.cast(graph.node("Sin", {graph.multiply(parts, graph.number(2 * std::numbers::pi))}), OnnxType::f32);
}

/// c z: [g, n, d k], for numbers z [n, d] or [g, n, d] whose last axis is `axis`.
OnnxValue turns_of(OnnxGraph& graph, const MemberGroup& group, const OnnxValue& numbers, std::int64_t axis) {
  const MlpShape& shape = shape_of(group);
  const std::size_t count = shape.embedding().waves();
  std::vector<std::int64_t> input_of_wave(count);
  for (std::size_t wave = 0; wave < count; ++wave) input_of_wave[wave] = size_of(wave / shape.frequencies);
  const OnnxValue repeated = graph.node(
      "Gather",
      {numbers, graph.constant("input_of_wave", {size_of(count)}, std::span<const std::int64_t>(input_of_wave))},
      {{"axis", axis}});
  const OnnxValue frequencies =
      stacked<double>(graph, group, "frequencies", 1, count, [](const Member& member, auto& values) {
        const std::span<const float> own = member.network->frequencies();
        values.insert(values.end(), own.begin(), own.end());
      });
  return graph.multiply(graph.cast(repeated, OnnxType::f64), frequencies);
}

/// Repeats for each member the values that all see alike: [g, n, ...].
OnnxValue once_per_member(OnnxGraph& graph, const MemberGroup& group, const OnnxValue& shared) {
  const std::int64_t members[] = {size_of(group.size()), 1, 1};
  return graph.node("Expand", {shared, graph.constant("members", {3}, members)});
}

/// [z, sin(2 pi c z), cos(2 pi c z)]: [g, n, d (1 + 2 k)].
OnnxValue embedding(OnnxGraph& graph, const MemberGroup& group, const OnnxValue& numbers) {
  const OnnxValue turns = turns_of(graph, group, numbers, 1);
  const OnnxValue own_numbers = once_per_member(graph, group, numbers);
  return graph.concatenated({own_numbers, waves(graph, turns)}, -1);
}

/// Numbers [g, n, d] in which each member has put its own values for what is missing. A missing number with a flag is
/// 0. Members without substitutes keep NaN, and so their outputs are not finite.
OnnxValue completed(OnnxGraph& graph, const MemberGroup& group, const EncodedInputs& inputs) {
  const std::size_t d = shape_of(group).inputs;
  const OnnxValue substitutes = stacked<float>(graph, group, "substitutes", 1, d, [&](const Member& member, auto& all) {
    const std::vector<float>& own = member.network->substitutes();
    for (std::size_t j = 0; j < d; ++j) {
      const float value = own.empty() ? std::numeric_limits<float>::quiet_NaN() : own[j];
      all.push_back(inputs.has_flag[j] ? 0.0F : value);
    }
  });
  return graph.node("Where", {*inputs.is_missing, substitutes, *inputs.numbers});
}

/// The vectors [g, n, width] that each member learned of the words of category t.
OnnxValue vectors(OnnxGraph& graph, const MemberGroup& group, std::size_t t, const OnnxValue& codes) {
  const std::vector<data::LevelTable>& tables = shape_of(group).tables;
  std::size_t first = 0;
  for (std::size_t before = 0; before < t; ++before) first += tables[before].rows * tables[before].width;
  const auto [rows, width] = tables[t];
  const OnnxValue table = stacked<float>(graph, group, "words", rows, width, [&](const Member& member, auto& values) {
    append_all<float>(member.network->tables().subspan(first, rows * width), values);
  });
  return graph.node("Gather", {table, codes}, {{"axis", 1}});
}

/// Inputs of the first layer for rows with words, dates or missing numbers, as model::enter computes them: numbers and
/// their waves, flags, vectors of words.
OnnxValue entered(OnnxGraph& graph, const MemberGroup& group, const EncodedInputs& inputs) {
  std::vector<OnnxValue> parts;
  if (inputs.numbers) {
    parts.push_back(completed(graph, group, inputs));
    if (shape_of(group).frequencies > 0) parts.push_back(waves(graph, turns_of(graph, group, parts.front(), 2)));
  }
  if (inputs.flags) parts.push_back(once_per_member(graph, group, *inputs.flags));
  for (std::size_t t = 0; t < inputs.codes.size(); ++t) parts.push_back(vectors(graph, group, t, inputs.codes[t]));
  return graph.concatenated(parts, -1);
}

/// Inputs of the first layer: [g, n, ...], or [n, d] where all members see the same numbers.
OnnxValue first_layer_inputs(OnnxGraph& graph, const MemberGroup& group, const EncodedInputs& inputs) {
  if (inputs.is_missing || !inputs.codes.empty()) return entered(graph, group, inputs);
  return shape_of(group).frequencies > 0 ? embedding(graph, group, *inputs.numbers) : *inputs.numbers;
}

/// x / (1 + e^-x): for x far below 0, where Sigmoid keeps no relative precision, the quotient does.
OnnxValue silu(OnnxGraph& graph, const OnnxValue& x) {
  const OnnxValue decay = graph.node("Exp", {graph.node("Neg", {x})});
  return graph.divide(x, graph.add(decay, graph.number(1.0F)));
}

/// x Phi(x) = x (1 + erf(x / sqrt 2)) / 2.
OnnxValue gelu(OnnxGraph& graph, const OnnxValue& x) {
  const OnnxValue erf = graph.node("Erf", {graph.divide(x, graph.number(std::numbers::sqrt2_v<float>))});
  return graph.multiply(graph.multiply(x, graph.add(erf, graph.number(1.0F))), graph.number(0.5F));
}

/// x above 0; below e^x - 1 = 2 t / (1 - t) with t = tanh(x / 2), which is precise near 0 too.
OnnxValue elu(OnnxGraph& graph, const OnnxValue& x) {
  const OnnxValue half = graph.multiply(graph.node("Min", {x, graph.number(0.0F)}), graph.number(0.5F));
  const OnnxValue t = graph.node("Tanh", {half});
  const OnnxValue below = graph.divide(graph.add(t, t), graph.subtract(graph.number(1.0F), t));
  return graph.add(graph.node("Relu", {x}), below);
}

OnnxValue activated(OnnxGraph& graph, Activation activation, const OnnxValue& x) {
  switch (activation) {
    case Activation::relu:
      return graph.node("Relu", {x});
    case Activation::tanh:
      return graph.node("Tanh", {x});
    case Activation::silu:
      return silu(graph, x);
    case Activation::gelu:
      return gelu(graph, x);
    case Activation::elu:
      return elu(graph, x);
  }
  return x;
}

/// [1, phi]: [g, n, 1 + p] in float, or [n, 1 + d] where the inputs themselves are the features.
OnnxValue features(OnnxGraph& graph, const MemberGroup& group, const EncodedInputs& inputs) {
  const MlpShape& shape = shape_of(group);
  OnnxValue x = with_one(graph, first_layer_inputs(graph, group, inputs));
  for (std::size_t i = 0; i < shape.hidden.size(); ++i) {
    x = with_one(graph, activated(graph, shape.activation, layer(graph, group, i, x)));
  }
  return x;
}

// ---- noise ----

/// log(1 + e^r) = max(r, 0) + log(1 + e^-|r|).
OnnxValue softplus(OnnxGraph& graph, const OnnxValue& raw) {
  const OnnxValue decay = graph.node("Exp", {graph.node("Neg", {graph.node("Abs", {raw})})});
  const OnnxValue rest = graph.node("Log", {graph.add(decay, graph.number(1.0))});
  return graph.add(graph.node("Max", {raw, graph.number(0.0)}), rest);
}

OnnxValue bounded_exp(OnnxGraph& graph, const OnnxValue& raw) {
  const double bound = math::noise_exp_bound;
  const OnnxValue above = graph.node("Max", {raw, graph.number(-bound)});
  return graph.node("Exp", {graph.node("Min", {above, graph.number(bound)})});
}

/// In double: in float the variance of a raw value far below 0 would be mostly rounding.
OnnxValue noise_variance(OnnxGraph& graph, NoiseLink link, const OnnxValue& raw) {
  const OnnxValue variance = link == NoiseLink::softplus ? softplus(graph, raw) : bounded_exp(graph, raw);
  return graph.add(variance, graph.number(static_cast<double>(static_cast<float>(model::noise_floor))));
}

/// `raw` [g, n, units] within the ranges of its members.
OnnxValue within_ranges(OnnxGraph& graph, const MemberGroup& group, const OnnxValue& raw) {
  const auto is_bounded = [](const Member* member) { return !member->network->noise_ranges().empty(); };
  if (std::ranges::none_of(group, is_bounded)) return raw;
  const auto ends = [&](std::string_view name, float model::NoiseRange::*end, float without) {
    const std::size_t units = shape_of(group).noise_units();
    return stacked<float>(graph, group, name, 1, units, [&](const Member& member, auto& values) {
      for (const model::NoiseRange& range : member.network->noise_ranges()) values.push_back(range.*end);
      if (member.network->noise_ranges().empty()) values.resize(values.size() + units, without);
    });
  };
  constexpr float largest = std::numeric_limits<float>::max();
  const OnnxValue above = graph.node("Max", {raw, ends("lowest_noise", &model::NoiseRange::low, -largest)});
  return graph.node("Min", {above, ends("highest_noise", &model::NoiseRange::high, largest)});
}

/// `head` [g, n, head units].
std::optional<OnnxValue> raw_noise(OnnxGraph& graph, const MemberGroup& group, const OnnxValue& head) {
  const MlpShape& shape = shape_of(group);
  if (shape.has_classes() || shape.noise == NoiseKind::known) return std::nullopt;
  if (shape.noise != NoiseKind::constant) {
    return within_ranges(graph, group, graph.last_axis_part(head, shape.outputs, shape.noise_units()));
  }
  return stacked<float>(graph, group, "raw_noise", 1, shape.outputs, [](const Member& member, auto& values) {
    append_all<float>(member.network->constant_noise(), values);
  });
}

// ---- posteriors ----

/// Whose outputs have covariances of their own: q, or 1 where all share one, as classes always do.
std::size_t covariances(const std::vector<MemberGroup>& groups) {
  const std::size_t q = shape_of(groups.front()).outputs;
  const auto shares = [](const Member* member) {
    const model::MemberPosterior& posterior = member->posterior;
    return posterior.kind == PosteriorKind::isotropic || posterior.factor.size() == 1 || posterior.variance.rows() == 1;
  };
  return std::ranges::all_of(groups, [&](const auto& group) { return std::ranges::all_of(group, shares); }) ? 1 : q;
}

/// Position of a weight of [1, phi] among the P random ones. The weight of the bias is the last.
struct RandomWeight {
  std::size_t place;
  bool is_random;
};

RandomWeight random_weight(const Member& member, std::size_t index) {
  if (index > 0) return {index - 1, true};
  return {member.features, member.posterior.random_bias};
}

double weight_variance(const Member& member, std::size_t output, std::size_t index) {
  const auto [place, is_random] = random_weight(member, index);
  if (!is_random) return 0;
  const model::MemberPosterior& posterior = member.posterior;
  return posterior.kind == PosteriorKind::isotropic ? posterior.gamma : posterior.variance(output, place);
}

/// Row `index` of S_k.
void append_factor_row(const Member& member, std::size_t output, std::size_t index, std::vector<double>& values) {
  const auto [place, is_random] = random_weight(member, index);
  const Matrix& factor = member.posterior.factor_of(output);
  if (is_random) return append_all<double>(factor.row(place), values);
  values.resize(values.size() + factor.cols(), 0.0);
}

/// sum_j v_kj phi_j^2: [g, n, c].
OnnxValue diagonal_variance(OnnxGraph& graph, const MemberGroup& group, std::size_t c, const OnnxValue& phi) {
  const std::size_t rows = 1 + group.front()->features;
  const OnnxValue variances =
      stacked<double>(graph, group, "variances", rows, c, [&](const Member& member, auto& values) {
        for (std::size_t j = 0; j < rows; ++j) {
          for (std::size_t k = 0; k < c; ++k) values.push_back(weight_variance(member, k, j));
        }
      });
  return graph.product(graph.square(phi), variances);
}

/// |S_k^T phi|^2 with the factors side by side: [g, n, c]. The sum of each output's squares is a product with ones, for
/// ONNX Runtime's ReduceSum loses an axis of no rows.
OnnxValue full_variance(OnnxGraph& graph, const MemberGroup& group, std::size_t c, const OnnxValue& phi) {
  const std::size_t rows = 1 + group.front()->features;
  const std::size_t size = model::random_weights(group.front()->posterior, group.front()->features);
  const OnnxValue factors =
      stacked<double>(graph, group, "factors", rows, c * size, [&](const Member& member, auto& values) {
        for (std::size_t j = 0; j < rows; ++j) {
          for (std::size_t k = 0; k < c; ++k) append_factor_row(member, k, j, values);
        }
      });
  Matrix of_output(c * size, c);
  for (std::size_t i = 0; i < c * size; ++i) of_output(i, i / size) = 1;
  const OnnxValue ones =
      graph.constant("of_output", {size_of(c * size), size_of(c)}, std::as_const(of_output).values());
  return graph.product(graph.square(graph.product(phi, factors)), ones);
}

OnnxValue within_variance(OnnxGraph& graph, const MemberGroup& group, std::size_t c, const OnnxValue& phi) {
  const OnnxValue precise = graph.cast(phi, OnnxType::f64);
  return group.front()->posterior.kind == PosteriorKind::full ? full_variance(graph, group, c, precise)
                                                              : diagonal_variance(graph, group, c, precise);
}

}  // namespace

std::vector<MemberGroup> member_groups(const model::EnsembleState& state, std::vector<double>& weights) {
  std::vector<MemberGroup> groups;
  std::vector<std::vector<double>> group_weights;
  for (std::size_t l = 0; l < state.members.size(); ++l) {
    if (state.weights[l] == 0) continue;
    const Member& member = state.members[l];
    const auto same = std::ranges::find_if(
        groups, [&](const MemberGroup& group) { return shape_of(group) == member.network->shape(); });
    const auto at = static_cast<std::size_t>(same - groups.begin());
    if (same == groups.end()) {
      groups.emplace_back();
      group_weights.emplace_back();
    }
    groups[at].push_back(&member);
    group_weights[at].push_back(state.weights[l]);
  }
  weights.clear();
  for (const std::vector<double>& own : group_weights) weights.insert(weights.end(), own.begin(), own.end());
  return groups;
}

MemberValues member_values(OnnxGraph& graph, const std::vector<MemberGroup>& groups, const EncodedInputs& inputs) {
  const std::size_t c = covariances(groups);
  std::vector<OnnxValue> mean;
  std::vector<OnnxValue> noise;
  std::vector<OnnxValue> within;
  for (const MemberGroup& group : groups) {
    const MlpShape& shape = shape_of(group);
    const OnnxValue phi = features(graph, group, inputs);
    const OnnxValue head = layer(graph, group, shape.hidden.size(), phi);
    mean.push_back(graph.last_axis_part(head, 0, shape.outputs));
    if (const auto raw = raw_noise(graph, group, head)) noise.push_back(*raw);
    if (group.front()->posterior.kind != PosteriorKind::delta) {
      within.push_back(within_variance(graph, group, c, phi));
    }
  }
  MemberValues values{.mean = graph.cast(graph.concatenated(mean, 0), OnnxType::f64)};
  if (!noise.empty()) {
    const OnnxValue raw = graph.cast(graph.concatenated(noise, 0), OnnxType::f64);
    values.noise = noise_variance(graph, shape_of(groups.front()).noise_link, raw);
  }
  if (!within.empty()) values.within = graph.concatenated(within, 0);
  return values;
}

}  // namespace credens::store
