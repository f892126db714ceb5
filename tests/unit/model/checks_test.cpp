// SPDX-License-Identifier: Apache-2.0
//
// The sentences of check(MemberOutputs) and check(EnsembleState).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "support/edit_network.hpp"
#include "support/error_matchers.hpp"
#include "unit/model/random_ensemble.hpp"

namespace credens::model {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

auto is_data(const char* words) {
  return test::Fails(ErrorCode::data, words);
}

auto is_usage(const char* words) {
  return test::Fails(ErrorCode::usage, words);
}

/// Checks good outputs after something was done to them.
std::function<void()> outputs_with(const std::function<void(MemberOutputs&)>& spoil) {
  return [spoil] {
    MemberOutputs outputs = random_ensemble({}).member_outputs(random_matrix(5, 3, 2));
    outputs.targets = Matrix(5, 2);
    outputs.row_weights.assign(5, 1.0);
    ASSERT_NO_THROW(check(outputs));
    spoil(outputs);
    check(outputs);
  };
}

std::function<void()> state_with(const std::function<void(EnsembleState&)>& spoil, const RandomEnsemble& kind = {}) {
  return [spoil, kind] {
    EnsembleState state = random_state(kind);
    spoil(state);
    check(state);
  };
}

TEST(CheckOutputs, NamesTheArrayTheMemberAndTheRow) {
  EXPECT_THAT([] { check(MemberOutputs{}); }, is_data("no members"));
  EXPECT_THAT(outputs_with([](auto& o) { o.features.pop_back(); }), is_data("features is given for 2 members"));
  EXPECT_THAT(outputs_with([](auto& o) { o.variance.pop_back(); }), is_data("variance is given for 2 members"));
  EXPECT_THAT(outputs_with([](auto& o) { o.features[1] = Matrix(4, 6); }), is_data("features of member 1 is 4"));
  EXPECT_THAT(outputs_with([](auto& o) { o.features[1] = Matrix(5, 0); }), is_data("have no columns"));
  EXPECT_THAT(outputs_with([](auto& o) { o.features[1](3, 2) = nan; }),
              is_data("features of member 1: row 3, column 2 is nan"));
  EXPECT_THAT(outputs_with([](auto& o) { o.mean[2] = Matrix(5, 1); }), is_data("mean of member 2 is 5 x 1"));
  EXPECT_THAT(outputs_with([](auto& o) { o.mean[0](4, 1) = nan; }), is_data("mean of member 0: row 4"));
  EXPECT_THAT(outputs_with([](auto& o) { o.variance[0](4, 1) = 0; }),
              is_data("variance of member 0: row 4, column 1 is 0"));
  EXPECT_THAT(outputs_with([](auto& o) { o.variance[0] = Matrix(5, 3, 1.0); }), is_data("5 x 3, expected 5 x 2"));
  EXPECT_THAT(outputs_with([](auto& o) { o.variance[0] = Matrix(4, 1, 1.0); }), is_data("4 x 1, expected 5 x 1"));
}

TEST(CheckOutputs, LooksAtEverythingThatMayBeMissing) {
  EXPECT_THAT(outputs_with([](auto& o) { o.targets = Matrix(5, 1); }), is_data("targets is 5 x 1"));
  EXPECT_THAT(outputs_with([](auto& o) { o.targets(1, 1) = nan; }), is_data("targets: row 1, column 1"));
  EXPECT_THAT(outputs_with([](auto& o) { o.last_layer.pop_back(); }), is_data("last_layer is given for 2"));
  EXPECT_THAT(outputs_with([](auto& o) { o.last_layer[1] = Matrix(2, 2); }), is_data("expected 2 x 6"));
  EXPECT_THAT(outputs_with([](auto& o) { o.last_layer[1](0, 0) = nan; }), is_data("last_layer of member 1"));
  EXPECT_THAT(outputs_with([](auto& o) { o.row_weights[2] = -1; }), is_data("row_weights: value 2 is -1"));
  EXPECT_THAT(outputs_with([](auto& o) { o.row_weights.pop_back(); }), is_data("row_weights has 4 values"));
  EXPECT_THAT(outputs_with([](auto& o) { o.member_weights = {0, 0, 0}; }), is_data("member_weights has the sum 0"));
  EXPECT_THAT(outputs_with([](auto& o) { o.target_scale = {1}; }), is_data("target_scale has 1 values"));
  EXPECT_THAT(outputs_with([](auto& o) { o.target_scale[1] = 0; }), is_data("target_scale: value 1 is 0"));
  EXPECT_THAT(outputs_with([](auto& o) { o.target_scale[1] = 1e200; }), is_data("value 1 is 1e+200"));
  EXPECT_THAT(outputs_with([](auto& o) { o.target_shift = {1}; }), is_data("target_shift has 1 values"));
  EXPECT_THAT(outputs_with([](auto& o) { o.target_shift[0] = nan; }), is_data("target_shift"));
  EXPECT_THAT(outputs_with([](auto& o) { o.target_names.pop_back(); }), is_data("target_names has 1 names"));
  EXPECT_THAT(outputs_with([](auto& o) { o.target_names[1] = ""; }), is_data("an empty name"));
  EXPECT_THAT(outputs_with([](auto& o) { o.target_names[1] = o.target_names[0]; }), is_data("twice"));
}

TEST(CheckOutputs, AcceptsNoRows) {
  EXPECT_NO_THROW(check(random_ensemble({}).member_outputs(Matrix(0, 3))));
}

TEST(CheckState, LooksAtMembersAndWeights) {
  EXPECT_THAT(state_with([](auto& s) { s.members.clear(); }), is_usage("no members"));
  EXPECT_THAT(state_with([](auto& s) { s.total_members = 2; }), is_usage("an ensemble of 2 members holds 3"));
  EXPECT_THAT(state_with([](auto& s) { s.members[2].index = 3; }), is_usage("index 3, expected one below 3"));
  EXPECT_THAT(state_with([](auto& s) { std::swap(s.members[0], s.members[1]); }), is_usage("rising indices"));
  EXPECT_THAT(state_with([](auto& s) { s.members[1].network.reset(); }), is_usage("all or none"));
  EXPECT_THAT(state_with([](auto& s) { s.members[1].features = 9; }), is_usage("member 1 has 9 features"));
  EXPECT_THAT(state_with([](auto& s) { s.weights = {1}; }), is_usage("has 1 weights"));
  EXPECT_THAT(state_with([](auto& s) { s.weights = {0.5, 0.5, 0.5}; }), is_usage("sum 1.5"));
  EXPECT_THAT(state_with([](auto& s) { s.weights[0] = nan; }), is_usage("weight is nan"));
  EXPECT_THAT(state_with([](auto& s) {
                test::edit_network(s.members[1], [](Mlp& n) { n.parameters()[3] = static_cast<float>(nan); });
              }),
              is_usage("member 1 has a parameter that is not finite"));
}

TEST(CheckState, LooksAtScalersAndLayout) {
  EXPECT_THAT(state_with([](auto& s) { s.target_scaler = {}; }), is_usage("no outputs"));
  EXPECT_THAT(state_with([](auto& s) { s.target_scaler.scale[1] = 1e-200; }), is_usage("targets"));
  EXPECT_THAT(state_with([](auto& s) { s.target_scaler.shift[1] = nan; }), is_usage("not finite"));
  EXPECT_THAT(state_with([](auto& s) { s.schema.targets.pop_back(); }), is_usage("has 1 targets"));
  EXPECT_THAT(state_with([](auto& s) { s.schema.noise.resize(3); }), is_usage("3 columns of noise"));
  EXPECT_THAT(state_with([](auto& s) { s.encoder.scaler.scale[0] = -1; }), is_usage("inputs has the scale -1"));
  EXPECT_THAT(state_with([](auto& s) { s.encoder.scaler.scale.pop_back(); }), is_usage("3 shifts and 2 scales"));
  EXPECT_THAT(state_with([](auto& s) { s.encoder.scaler.width = {1, 1, 1}; }), is_usage("0 centres and 3 widths"));
  EXPECT_THAT(state_with([](auto& s) { s.encoder.scaler.width.pop_back(); }, {.bent = true}),
              is_usage("3 inputs has 3 centres and 2 widths, expected none or one of each for every input"));
  EXPECT_THAT(state_with([](auto& s) { s.encoder.scaler.width[1] = -1; }, {.bent = true}), is_usage("the width -1"));
  EXPECT_THAT(state_with([](auto& s) { s.encoder.scaler.width[1] = nan; }, {.bent = true}), is_usage("the width nan"));
  EXPECT_THAT(state_with([](auto& s) { s.encoder.scaler.centre[1] = nan; }, {.bent = true}),
              is_usage("a centre that is not finite"));
  EXPECT_THAT(state_with([](auto& s) {
                s.target_scaler.width = s.target_scaler.centre = {1, 1};
              }),
              is_usage("the scaler of the targets bends them"));
  EXPECT_THAT(state_with([](auto& s) { s.schema.inputs.pop_back(); }), is_usage("trained on 2"));
  EXPECT_THAT(state_with([](auto& s) { s.schema.inputs[1].position.reset(); }), is_usage("not know the positions"));
  EXPECT_THAT(state_with([](auto& s) { s.schema.inputs[2].position = 7; }), is_usage("an input is column 7"));
  EXPECT_THAT(state_with([](auto& s) { s.schema.targets[1].position = 9; }), is_usage("a target is column 9"));
  EXPECT_THAT(state_with([](auto& s) { s.schema.has_noise = false; }, {.noise = NoiseKind::known}),
              is_usage("takes its noise from the data"));
  EXPECT_THAT(state_with([](auto& s) {
                s.encoder.scaler = data::identity_scaler(4);
                s.schema.table_columns = 4;
                s.schema.inputs.push_back({.name = "", .position = 3});
              }),
              is_usage("maps 3 inputs to 2 outputs, expected 4 to 2"));
}

TEST(CheckState, LooksAtThePosterior) {
  const RandomEnsemble diagonal{.posterior = PosteriorKind::diagonal};
  const RandomEnsemble full{.posterior = PosteriorKind::full};
  EXPECT_THAT(state_with([](auto& s) { s.posterior = PosteriorKind::full; }),
              is_usage("member 0 has the posterior isotropic, the ensemble full"));
  EXPECT_THAT(state_with([](auto& s) { s.members[1].posterior.gamma = -1; }), is_usage("gamma of member 1"));
  EXPECT_THAT(state_with([](auto& s) { s.prior_precision = nan; }), is_usage("lambda is nan"));
  EXPECT_THAT(state_with([](auto& s) { s.members[1].posterior.variance = Matrix(1, 1); }, diagonal),
              is_usage("member 1 is 1 x 1, expected 2 x 6"));
  EXPECT_THAT(state_with([](auto& s) { s.members[1].posterior.variance(0, 0) = -1; }, diagonal),
              is_usage("negative or not finite"));
  EXPECT_THAT(state_with([](auto& s) { s.members[1].posterior.factor.clear(); }, full),
              is_usage("0 factors, expected 1 or 2"));
  EXPECT_THAT(state_with([](auto& s) { s.members[1].posterior.factor[1] = Matrix(2, 2); }, full),
              is_usage("2 x 2, expected 6 x 6"));
  EXPECT_THAT(state_with([](auto& s) { s.members[1].posterior.factor[1](0, 1) = nan; }, full), is_usage("not finite"));
  EXPECT_THAT(state_with([](auto& s) { s.members[1].posterior.factor[1](1, 0) = 1; }, full),
              is_usage("not upper triangular"));
}

}  // namespace
}  // namespace credens::model
