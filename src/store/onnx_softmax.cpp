// SPDX-License-Identifier: Apache-2.0
//
// The rule, for logits z and a variance e between 0.001 and 10, with m = log sum_c exp(z_c) and v = softmax(z):
//
//   t_j = m - 3.2 - 4.2 sqrt(e) + h j,  j = 0 .. 79,  h = log(2) / 2 for e <= 3, else log 2
//   u_q = 0.6 sqrt(e) (q - 9.5),        q = 0 .. 19,  with weights w_q ~ exp(-u_q^2 / 2e), sum 1
//   a = v_c exp(m - t_j) exp(u_q),  g = exp(-a)
//   F = sum_q w_q g,  D = sum_q w_q a g,  K = sum_q w_q a^2 g,  M = sum_q w_q u_q a g,  P_j = prod_c F_cj
//   first_c = h sum_j P_j D / F,  second_c = h sum_j P_j K / F,  tilt_c = h sum_j P_j M / F
//   E v = first / sum_c first,  E v^2 = second,  E lse = m + h sum_j exp(-exp(m - t_j)) - P_j
//   E H(v) = E lse - m - sum_c [ (z_c - m) first_c + tilt_c ]
//
// Nodes come in chains in which each t_j is log 2 below the one before it: a doubles and g is squared, so that seven of
// eight exponentials are products. M keeps the identity between E lse and E H(v) exact for the noise u. Smaller e are
// expanded to second order; beyond 10 logits are scaled, as in math/softmax_normal.cpp. Tests hold the rule against
// integrals with fine steps (tests/unit/math) and its graph against `credens predict` (tests/onnx).
//
// Letters: b rows in a block, J nodes t_j, Q values u_q.

#include "store/onnx_softmax.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace credens::store {

namespace {

constexpr double largest_expanded = 1e-3;
constexpr double largest_integrated = 10;
constexpr double largest_fine = 3;  // e up to which steps are log(2) / 2
constexpr std::int64_t chains = 10;
constexpr std::int64_t chain_length = 8;
constexpr std::int64_t nodes = chains * chain_length;  // J
constexpr std::int64_t noise_count = 20;               // Q
constexpr double noise_spacing = 0.6;
constexpr double least_factor = 1e-280;
constexpr double least_log_share = -750;  // its exponential is 0
constexpr double least_normal = 1e-300;

/// Rows whose J Q C values, the largest array of the graph, are a megabyte.
std::int64_t block_rows(std::int64_t classes) {
  constexpr std::int64_t values = std::int64_t{1} << 17;
  return std::clamp<std::int64_t>(values / (nodes * noise_count * classes), 1, 64);
}

struct Softmax {
  OnnxValue logarithm;
  OnnxValue share;
};

Softmax softmax(OnnxGraph& graph, const OnnxValue& logits) {
  const OnnxValue below = graph.subtract(logits, graph.largest_of_last_axis(logits));
  const OnnxValue powers = graph.node("Exp", {below});
  const OnnxValue sum = graph.sum_of_last_axis(powers);
  return {.logarithm = graph.subtract(below, graph.node("Log", {sum})), .share = graph.divide(powers, sum)};
}

OnnxValue exp_negative(OnnxGraph& graph, const OnnxValue& x) {
  return graph.node("Exp", {graph.node("Neg", {x})});
}

OnnxValue at_most(OnnxGraph& graph, const OnnxValue& x, double bound) {
  return graph.node("Min", {x, graph.number(bound)});
}

OnnxValue at_least(OnnxGraph& graph, const OnnxValue& x, double bound) {
  return graph.node("Max", {x, graph.number(bound)});
}

/// Some places of axis 1.
OnnxValue parts(OnnxGraph& graph, const OnnxValue& x, const std::vector<std::int64_t>& places) {
  const OnnxValue at =
      graph.constant("parts", {static_cast<std::int64_t>(places.size())}, std::span<const std::int64_t>(places));
  return graph.node("Gather", {x, at}, {{"axis", 1}});
}

/// One place of axis 1, which goes.
OnnxValue part(OnnxGraph& graph, const OnnxValue& x, std::int64_t place) {
  return graph.node("Gather", {x, graph.constant("part", {}, {&place, 1})}, {{"axis", 1}});
}

OnnxValue ones(OnnxGraph& graph, std::int64_t b, std::int64_t count) {
  const std::int64_t shape[] = {b, 1, count};
  return graph.node("Expand", {graph.number(1.0), graph.constant("shape", {3}, shape)});
}

// ---- nodes ----

struct Nodes {
  OnnxValue step;       ///< h [b, 1]
  OnnxValue base;       ///< exp(m - t) where chains begin [b, chains]
  OnnxValue rate;       ///< exp(m - t) [b, J]: the first of all chains, the second of all, ...
  OnnxValue noise;      ///< u [b, Q]
  OnnxValue noise_exp;  ///< e^u [b, Q]
};

/// exp(-h j) of the nodes j at which chains begin, for steps h of log(2) / `steps`: with two of these in a chain's step
/// of log 2, chains lie between each other.
OnnxValue chain_starts(OnnxGraph& graph, std::int64_t steps) {
  std::vector<double> starts;
  for (std::int64_t chain = 0; chain < chains; ++chain) {
    const std::int64_t node = (chain / steps + 1) * chain_length * steps - steps + chain % steps;
    starts.push_back(std::exp2(-static_cast<double>(node) / static_cast<double>(steps)));
  }
  return graph.vector("chain_starts", starts);
}

std::vector<double> noise_places() {
  std::vector<double> places;
  for (std::int64_t q = 0; q < noise_count; ++q) {
    places.push_back(noise_spacing * (static_cast<double>(q) - 0.5 * (noise_count - 1)));
  }
  return places;
}

/// w [Q].
std::vector<double> noise_weights() {
  std::vector<double> weights;
  double sum = 0;
  for (const double place : noise_places()) {
    weights.push_back(std::exp(-0.5 * place * place));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

/// `variance` [b, 1].
Nodes nodes_of(OnnxGraph& graph, const OnnxValue& variance, std::int64_t b) {
  const OnnxValue std = graph.node("Sqrt", {variance});
  const OnnxValue is_fine = graph.node("LessOrEqual", {variance, graph.number(largest_fine)});
  const auto by_width = [&](const OnnxValue& fine, const OnnxValue& coarse) {
    return graph.node("Where", {is_fine, fine, coarse});
  };
  const OnnxValue first = graph.add(graph.multiply(std, graph.number(4.2)), graph.number(3.2));
  const OnnxValue starts = by_width(chain_starts(graph, 2), chain_starts(graph, 1));
  const OnnxValue base = graph.multiply(graph.node("Exp", {first}), starts);
  std::vector<double> doublings;
  for (std::int64_t i = 0; i < chain_length; ++i) doublings.push_back(std::exp2(i));
  const OnnxValue powers = graph.constant("doublings", {chain_length, 1}, std::span<const double>(doublings));
  const OnnxValue rate = graph.multiply(graph.reshaped(base, {b, 1, chains}), powers);
  const OnnxValue noise = graph.multiply(std, graph.vector("noise", noise_places()));
  return {.step = by_width(graph.number(std::numbers::ln2 / 2), graph.number(std::numbers::ln2)),
          .base = base,
          .rate = graph.reshaped(rate, {b, nodes}),
          .noise = noise,
          .noise_exp = graph.node("Exp", {noise})};
}

/// w, w e^u, w e^2u and w u e^u: [b, 4, Q].
OnnxValue noise_factors(OnnxGraph& graph, const Nodes& at, std::int64_t b) {
  const auto row = [&](const OnnxValue& x) { return graph.reshaped(x, {b, 1, noise_count}); };
  const OnnxValue all =
      graph.concatenated({ones(graph, b, noise_count), row(at.noise_exp), row(graph.square(at.noise_exp)),
                          row(graph.multiply(at.noise, at.noise_exp))},
                         1);
  return graph.multiply(all, graph.vector("noise_weights", noise_weights()));
}

/// g: [b, Q, J C].
OnnxValue gumbel(OnnxGraph& graph, const Nodes& at, const OnnxValue& share, std::int64_t b, std::int64_t c) {
  const OnnxValue rate = graph.multiply(graph.reshaped(at.base, {b, chains, 1}), graph.reshaped(share, {b, 1, c}));
  const OnnxValue growth = graph.node("Neg", {graph.reshaped(at.noise_exp, {b, noise_count, 1})});
  std::vector<OnnxValue> chain = {
      graph.node("Exp", {graph.multiply(growth, graph.reshaped(rate, {b, 1, chains * c}))})};
  while (chain.size() < chain_length) chain.push_back(graph.square(chain.back()));
  return graph.concatenated(chain, -1);
}

/// F, and D, K and M without the powers of v exp(m - t) in them: [b, 4, J, C].
OnnxValue sums_over_noise(OnnxGraph& graph, const Nodes& at, const OnnxValue& share, std::int64_t b, std::int64_t c) {
  return graph.reshaped(graph.product(noise_factors(graph, at, b), gumbel(graph, at, share, b, c)), {b, 4, nodes, c});
}

// ---- integrals ----

struct Integrals {
  OnnxValue first;    ///< [b, C]
  OnnxValue second;   ///< [b, C]
  OnnxValue tilt;     ///< [b, C]
  OnnxValue log_sum;  ///< E lse - m [b, 1]
};

/// No F is 0, so that a product of many divided by one of them is finite.
Integrals integrals(OnnxGraph& graph, const Nodes& at, const OnnxValue& share, std::int64_t b, std::int64_t c) {
  const OnnxValue sums = sums_over_noise(graph, at, share, b, c);
  const OnnxValue each = at_least(graph, parts(graph, sums, {0}), least_factor);
  const OnnxValue logarithm = graph.sum_of_last_axis(graph.node("Log", {each}));
  const OnnxValue all = graph.node("Exp", {graph.reshaped(logarithm, {b, nodes})});  // P
  const OnnxValue ratio = graph.divide(parts(graph, sums, {1, 2, 3}), each);

  const OnnxValue weight = graph.multiply(graph.multiply(at.rate, all), at.step);
  const OnnxValue one = ones(graph, b, nodes);
  const OnnxValue powers = graph.concatenated({one, graph.reshaped(at.rate, {b, 1, nodes}), one}, 1);
  const OnnxValue weights = graph.multiply(powers, graph.reshaped(weight, {b, 1, nodes}));
  const OnnxValue sum = graph.product(graph.reshaped(weights, {b, 3, 1, nodes}), ratio);
  const OnnxValue integral = graph.reshaped(sum, {b, 3, c});

  const OnnxValue gap = graph.subtract(exp_negative(graph, at.rate), all);
  return {.first = graph.multiply(part(graph, integral, 0), share),
          .second = graph.multiply(part(graph, integral, 1), graph.square(share)),
          .tilt = graph.multiply(part(graph, integral, 2), share),
          .log_sum = graph.multiply(graph.sum_of_last_axis(gap), at.step)};
}

/// Moments of a block: [b, C], [b, C] and [b, 1].
struct BlockMoments {
  OnnxValue probability;
  OnnxValue variance;
  OnnxValue entropy;
};

BlockMoments integrated(OnnxGraph& graph, const Softmax& z, const OnnxValue& variance, const OnnxValue& scale,
                        std::int64_t b, std::int64_t c) {
  const OnnxValue inside = at_most(graph, at_least(graph, variance, largest_expanded), largest_integrated);
  const Integrals sum = integrals(graph, nodes_of(graph, inside, b), z.share, b, c);
  const OnnxValue probability = graph.divide(sum.first, graph.sum_of_last_axis(sum.first));
  const OnnxValue squared = graph.square(probability);
  const OnnxValue shrunk = graph.multiply(graph.subtract(sum.first, sum.second), scale);
  const OnnxValue excess = graph.subtract(graph.subtract(sum.first, shrunk), squared);
  const OnnxValue most = graph.subtract(probability, squared);

  const OnnxValue height = graph.multiply(at_least(graph, z.logarithm, least_log_share), sum.first);
  const OnnxValue linear = graph.sum_of_last_axis(graph.add(height, sum.tilt));
  return {.probability = probability,
          .variance = graph.node("Min", {at_least(graph, excess, 0), most}),
          .entropy = graph.multiply(graph.subtract(sum.log_sum, linear), scale)};
}

/// Second order in e around v = softmax(z).
BlockMoments expanded(OnnxGraph& graph, const OnnxValue& v, const OnnxValue& variance) {
  const OnnxValue e = at_most(graph, variance, largest_expanded);
  const OnnxValue squared = graph.square(v);
  const OnnxValue norm = graph.sum_of_last_axis(squared);
  const OnnxValue change = graph.multiply(graph.multiply(e, v), graph.subtract(norm, v));
  const OnnxValue probability = graph.add(v, change);
  const OnnxValue slope = graph.subtract(graph.add(norm, graph.number(1.0)), graph.add(v, v));
  const OnnxValue impurity = graph.subtract(graph.number(1.0), norm);
  const OnnxValue information = graph.multiply(graph.multiply(e, impurity), graph.number(0.5));
  return {.probability = probability,
          .variance = graph.multiply(graph.multiply(e, squared), slope),
          .entropy = graph.subtract(entropy(graph, probability), information)};
}

/// sqrt((10 + k) / (e + k)), k = pi^2 / 6, where e > 10; else 1.
OnnxValue scale_of(OnnxGraph& graph, const OnnxValue& variance) {
  constexpr double gumbel_variance = std::numbers::pi * std::numbers::pi / 6;
  const OnnxValue spread = graph.add(at_least(graph, variance, largest_integrated), graph.number(gumbel_variance));
  return graph.node("Sqrt", {graph.divide(graph.number(largest_integrated + gumbel_variance), spread)});
}

/// From z [b, C] and e [b, 1] to the moments of v.
OnnxGraph block_graph(std::int64_t b, std::int64_t c) {
  OnnxGraph graph("block_");
  const OnnxValue logits = graph.block_input("logits", {b, c});
  const OnnxValue variance = graph.block_input("variance", {b, 1});
  const OnnxValue scale = scale_of(graph, variance);
  const Softmax z = softmax(graph, graph.multiply(logits, scale));
  const BlockMoments wide = integrated(graph, z, variance, scale, b, c);
  const BlockMoments narrow = expanded(graph, z.share, variance);
  const OnnxValue is_narrow = graph.node("LessOrEqual", {variance, graph.number(largest_expanded)});
  const auto either = [&](OnnxValue BlockMoments::*moment) {
    return graph.node("Where", {is_narrow, narrow.*moment, wide.*moment});
  };
  const OnnxValue probability = either(&BlockMoments::probability);
  const OnnxValue most = entropy(graph, probability);
  graph.block_output(probability, {b, c});
  graph.block_output(either(&BlockMoments::variance), {b, c});
  graph.block_output(graph.node("Min", {at_least(graph, either(&BlockMoments::entropy), 0), most}), {b, 1});
  return graph;
}

// ---- blocks ----

/// How rows [g n, ...] fill blocks of b.
struct Blocks {
  std::int64_t size;  ///< b
  OnnxValue rows;     ///< g n [1]
  OnnxValue missing;  ///< rows that the last block is short of [1]
};

/// `like` [g, n, 1]. There is at least one block, so that no rows need no care.
Blocks blocks_of(OnnxGraph& graph, const OnnxValue& like, std::int64_t b) {
  const OnnxValue rows = graph.node("Shape", {graph.reshaped(like, {-1})});
  const OnnxValue begun = graph.divide(graph.add(rows, graph.whole_number(b - 1)), graph.whole_number(b));
  const OnnxValue count = graph.node("Max", {begun, graph.whole_number(1)});
  return {.size = b, .rows = rows, .missing = graph.subtract(graph.multiply(count, graph.whole_number(b)), rows)};
}

/// [g, n, cols] as [k, b, cols], with zeros at the end.
OnnxValue in_blocks(OnnxGraph& graph, const Blocks& blocks, const OnnxValue& x, std::int64_t cols) {
  const OnnxValue shape = graph.concatenated({blocks.missing, graph.whole_number(cols)}, 0);
  const OnnxValue zeros = graph.node("Expand", {graph.number(0.0), shape});
  return graph.reshaped(graph.concatenated({graph.reshaped(x, {-1, cols}), zeros}, 0), {-1, blocks.size, cols});
}

/// [k, b, cols] as [g, n, cols].
OnnxValue by_member(OnnxGraph& graph, const Blocks& blocks, const OnnxValue& x, std::int64_t members,
                    std::int64_t cols) {
  const OnnxValue first = graph.whole_number(0);
  const OnnxValue rows = graph.node("Slice", {graph.reshaped(x, {-1, cols}), first, blocks.rows, first});
  return graph.reshaped(rows, {members, -1, cols});
}

}  // namespace

/// A probability that rounding makes larger than 1 would have a negative entropy.
OnnxValue entropy(OnnxGraph& graph, const OnnxValue& probability) {
  const OnnxValue logarithm = graph.node("Log", {at_least(graph, probability, least_normal)});
  const OnnxValue sum = graph.sum_of_last_axis(graph.multiply(probability, logarithm));
  return at_least(graph, graph.node("Neg", {sum}), 0);
}

SoftmaxMoments softmax_moments(OnnxGraph& graph, const OnnxValue& logits, const std::optional<OnnxValue>& variance,
                               std::size_t members, std::size_t classes) {
  if (!variance) {
    const OnnxValue probability = softmax(graph, logits).share;
    return {.probability = probability, .variance = std::nullopt, .entropy = entropy(graph, probability)};
  }
  const auto g = static_cast<std::int64_t>(members);
  const auto c = static_cast<std::int64_t>(classes);
  const Blocks blocks = blocks_of(graph, *variance, block_rows(c));
  const std::vector<OnnxValue> moments = graph.scan(
      block_graph(blocks.size, c), {in_blocks(graph, blocks, logits, c), in_blocks(graph, blocks, *variance, 1)});
  return {.probability = by_member(graph, blocks, moments[0], g, c),
          .variance = by_member(graph, blocks, moments[1], g, c),
          .entropy = by_member(graph, blocks, moments[2], g, 1)};
}

}  // namespace credens::store
