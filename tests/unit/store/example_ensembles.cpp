// SPDX-License-Identifier: Apache-2.0

#include "unit/store/example_ensembles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>

#include "base/random.hpp"
#include "model/weights.hpp"

namespace credens::store {

namespace {

using base::RandomStream;

BasicMatrix<float> random_floats(std::size_t rows, std::size_t cols, RandomStream& random) {
  BasicMatrix<float> values(rows, cols);
  for (float& value : values.values()) value = static_cast<float>(random.normal());
  return values;
}

model::Mlp random_network(const model::MlpShape& shape, RandomStream& random) {
  model::Mlp network(shape);
  for (std::size_t layer = 0; layer < shape.layers(); ++layer) {
    const math::PanelShape panel = shape.layer(layer);
    const auto bias = random_floats(1, panel.out, random);
    network.set_layer(layer, random_floats(panel.out, panel.in, random), bias.row(0));
  }
  for (float& raw : network.constant_noise()) raw = static_cast<float>(random.normal());
  for (float& frequency : network.frequencies()) frequency = static_cast<float>(random.normal());
  for (float& value : network.tables()) value = static_cast<float>(random.normal());
  return network;
}

Matrix random_upper_triangle(std::size_t size, RandomStream& random) {
  Matrix factor(size, size);
  for (std::size_t row = 0; row < size; ++row) {
    for (std::size_t col = row; col < size; ++col) factor(row, col) = random.normal();
  }
  return factor;
}

model::MemberPosterior random_posterior(const Example& example, std::size_t features, RandomStream& random) {
  model::MemberPosterior posterior;
  posterior.kind = example.posterior;
  posterior.random_bias = example.random_bias;
  const std::size_t size = features + (example.random_bias ? 1 : 0);
  posterior.gamma = example.posterior == PosteriorKind::delta ? 0 : random.uniform();
  if (example.posterior == PosteriorKind::diagonal) {
    posterior.variance = Matrix(example.classes > 0 ? 1 : example.outputs, size);
    for (double& value : posterior.variance.values()) value = random.uniform();
  }
  if (example.posterior == PosteriorKind::full) {
    const bool is_shared = example.classes > 0 || example.noise == NoiseKind::shared;
    const std::size_t factors = is_shared ? 1 : example.outputs;
    for (std::size_t k = 0; k < factors; ++k) posterior.factor.push_back(random_upper_triangle(size, random));
  }
  if (example.posterior != PosteriorKind::delta) posterior.elbo = {-random.uniform(), 1.0 / 3, std::nullopt};
  return posterior;
}

model::Member random_member(const Example& example, std::size_t index) {
  RandomStream random({.seed = example.seed, .member = index});
  model::Member member;
  member.index = index;
  const std::vector<std::size_t>& hidden = example.hidden[index % example.hidden.size()];
  const data::Encoder encoder(data::identity_scaler(example.inputs), example.columns);
  model::MlpShape shape{.inputs = encoder.numbers(),
                        .hidden = hidden,
                        .activation = example.activations[index % example.activations.size()],
                        .outputs = example.classes > 0 ? example.classes : example.outputs,
                        .task = example.classes > 0 ? Task::classification : Task::regression,
                        .noise = example.noise,
                        .noise_link = example.link,
                        .frequencies = example.frequencies[index % example.frequencies.size()],
                        .flags = encoder.flags(),
                        .tables = encoder.tables()};
  member.features = shape.features();
  if (example.networks) {
    model::Mlp network = random_network(shape, random);
    if (example.bounded && index % 2 == 0) {
      network.set_noise_ranges(std::vector<model::NoiseRange>(shape.noise_units(), {-0.5F, 0.25F}));
    }
    if (!example.columns.empty()) {
      const BasicMatrix<float> values = random_floats(1, shape.inputs, random);
      network.set_substitutes({values.values().begin(), values.values().end()});
    }
    member.network = std::make_shared<const model::Mlp>(std::move(network));
  }
  member.posterior = random_posterior(example, member.features, random);
  return member;
}

/// Words are called word0, word1, ....
void set_kinds(const Example& example, model::EnsembleState& state) {
  state.encoder = {state.encoder.scaler, example.columns};
  for (std::size_t j = 0; j < example.columns.size(); ++j) {
    state.schema.inputs[j].kind = example.columns[j].kind;
    for (std::size_t level = 0; level < example.columns[j].codes.size(); ++level) {
      state.schema.inputs[j].levels.push_back(fmt::format("word{}", level));
    }
  }
}

void set_classes(std::size_t count, model::EnsembleState& state) {
  state.schema.task = Task::classification;
  state.schema.targets.resize(1);
  state.target_scaler = data::identity_scaler(count);
  for (std::size_t c = 0; c < count; ++c) state.schema.classes.push_back(fmt::format("class {}", c));
  state.schema.targets.front().kind = ColumnKind::category;
  state.schema.targets.front().levels = state.schema.classes;
}

void set_columns(const Example& example, model::EnsembleState& state) {
  for (std::size_t k = 0; k < example.outputs; ++k) {
    state.schema.targets.push_back({.name = fmt::format("output \"{}\" µ", k)});
    state.target_scaler.shift.push_back(-0.1 * static_cast<double>(k + 1));
    state.target_scaler.scale.push_back(1.0 / 3 + static_cast<double>(k));
  }
  if (example.classes > 0) set_classes(example.classes, state);
  if (!example.networks) return;
  for (std::size_t j = 0; j < example.inputs; ++j) {
    state.schema.inputs.push_back({.name = fmt::format("x{}", j), .position = j + 1});
    state.encoder.scaler.shift.push_back(1e-300 * static_cast<double>(j));
    state.encoder.scaler.scale.push_back(0.7 + static_cast<double>(j));
    if (!example.bent) continue;
    state.encoder.scaler.centre.push_back(0.1 * static_cast<double>(j));
    state.encoder.scaler.width.push_back(static_cast<double>(j) / 3);
  }
  set_kinds(example, state);
  state.schema.has_names = true;
  state.schema.table_columns = example.inputs + 2;
  state.schema.has_noise = example.noise == NoiseKind::known && example.classes == 0;
  if (state.schema.has_noise) state.schema.noise = {{.name = "u(y)"}};
}

constexpr double infinite = std::numeric_limits<double>::infinity();

}  // namespace

model::EnsembleState example_state(const Example& example) {
  model::EnsembleState state;
  for (const std::size_t index : example.members) state.members.push_back(random_member(example, index));
  state.total_members = example.total_members;
  state.weights = example.weights.empty() ? model::uniform_weights(example.members.size()) : example.weights;
  set_columns(example, state);
  state.posterior = example.posterior;
  state.prior_precision = 0.1;
  state.options = {{"members", std::int64_t{2}},
                   {"epochs", std::int64_t{60}},
                   {"learning_rate", 1e-3},
                   {"lambda", 5.0},
                   {"random_bias", example.random_bias},
                   {"schedule", std::string("halve-last-five")},
                   {"seed", std::int64_t{-1}}};
  state.seed = ~std::uint64_t{0};
  state.data = {1030, "0123456789abcdef0123456789abcdef"};
  if (example.promised) {
    const Matrix scores(3, example.outputs, 0.25);
    state.promise = {.column = "lab", .groups = {{"a", scores}, {"b", Matrix(2, example.outputs, -infinite)}}};
  }
  return state;
}

Ensemble make_ensemble(model::EnsembleState state) {
  return Ensemble(std::make_shared<const model::EnsembleState>(std::move(state)));
}

Ensemble example_ensemble(const Example& example) {
  return make_ensemble(example_state(example));
}

Ensemble part_of(const Ensemble& whole, const std::vector<std::size_t>& indices) {
  model::EnsembleState state = whole.state();
  std::vector<model::Member> members;
  for (const std::size_t index : indices) members.push_back(state.members[index]);
  state.members = std::move(members);
  state.weights = model::uniform_weights(indices.size());
  return make_ensemble(std::move(state));
}

Matrix example_inputs(std::size_t rows, std::size_t inputs) {
  RandomStream random({.seed = 99});
  Matrix values(rows, inputs);
  for (double& value : values.values()) value = random.normal();
  return values;
}

void expect_same_member(const model::Member& a, const model::Member& b) {
  EXPECT_EQ(a.index, b.index);
  EXPECT_EQ(a.features, b.features);
  ASSERT_EQ(a.network == nullptr, b.network == nullptr);
  if (a.network) {
    EXPECT_EQ(a.network->shape(), b.network->shape());
    EXPECT_TRUE(std::ranges::equal(a.network->parameters(), b.network->parameters()));
    EXPECT_EQ(a.network->noise_ranges(), b.network->noise_ranges());
  }
  EXPECT_EQ(a.posterior.kind, b.posterior.kind);
  EXPECT_EQ(a.posterior.random_bias, b.posterior.random_bias);
  EXPECT_EQ(a.posterior.gamma, b.posterior.gamma);
  EXPECT_EQ(a.posterior.variance, b.posterior.variance);
  EXPECT_EQ(a.posterior.factor, b.posterior.factor);
  EXPECT_EQ(a.posterior.elbo, b.posterior.elbo);
}

void expect_same_state(const model::EnsembleState& a, const model::EnsembleState& b) {
  ASSERT_EQ(a.members.size(), b.members.size());
  for (std::size_t l = 0; l < a.members.size(); ++l) expect_same_member(a.members[l], b.members[l]);
  EXPECT_EQ(a.total_members, b.total_members);
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.encoder.scaler, b.encoder.scaler);
  EXPECT_EQ(a.target_scaler, b.target_scaler);
  EXPECT_EQ(a.schema, b.schema);
  EXPECT_EQ(a.posterior, b.posterior);
  EXPECT_EQ(a.prior_precision, b.prior_precision);
  EXPECT_EQ(a.options, b.options);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.data, b.data);
  EXPECT_EQ(a.promise, b.promise);
}

Thrown thrown_by(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

}  // namespace credens::store
