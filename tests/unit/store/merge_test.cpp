// SPDX-License-Identifier: Apache-2.0

#include "store/merge.hpp"

#include <gtest/gtest.h>
#include <credens/version.hpp>

#include "store/model_file.hpp"
#include "unit/store/example_ensembles.hpp"

namespace credens::store {
namespace {

using Parts = std::vector<std::pair<std::string, Ensemble>>;

class Merge : public testing::Test {
 protected:
  /// The sentence about a second part that was changed.
  std::string refusal_with(const std::function<void(model::EnsembleState&)>& change) {
    model::EnsembleState state = part_of(whole_, {2, 3, 4}).state();
    change(state);
    return refusal({{"a", part_of(whole_, {0, 1})}, {"b", make_ensemble(std::move(state))}});
  }

  std::string refusal(const Parts& parts) {
    const Thrown thrown = thrown_by([&] { merge(parts); });
    EXPECT_EQ(thrown.code, ErrorCode::model);
    return thrown.sentence;
  }

  Ensemble whole_ = example_ensemble(
      {.posterior = PosteriorKind::diagonal, .hidden = {{3}, {2, 2}}, .members = {0, 1, 2, 3, 4}, .total_members = 5});
};

TEST_F(Merge, GivesTheBytesOfAnUndisturbedRunInAnyOrder) {
  const std::string expected = encode_model(whole_);
  const Parts one = {{"all", whole_}};
  const Parts ordered = {{"a", part_of(whole_, {0, 1})}, {"b", part_of(whole_, {2})}, {"c", part_of(whole_, {3, 4})}};
  const Parts mixed = {{"c", part_of(whole_, {1, 3})}, {"b", part_of(whole_, {4})}, {"a", part_of(whole_, {0, 2})}};
  for (const Parts& parts : {one, ordered, mixed}) EXPECT_TRUE(encode_model(merge(parts)) == expected);
}

TEST_F(Merge, WorksOnPartsThatCameFromFiles) {
  Parts parts;
  for (const std::vector<std::size_t>& indices : {std::vector<std::size_t>{3, 4}, std::vector<std::size_t>{0, 1, 2}}) {
    parts.emplace_back("part", decode_model(encode_model(part_of(whole_, indices))));
  }
  EXPECT_TRUE(encode_model(merge(parts)) == encode_model(whole_));
}

TEST_F(Merge, NamesTheMemberThatIsMissing) {
  EXPECT_EQ(refusal({{"a", part_of(whole_, {0, 1})}, {"b", part_of(whole_, {3, 4})}}),
            "member 2 of 0 to 4 is in none of the parts");
  EXPECT_EQ(refusal({{"a", part_of(whole_, {0, 1, 2, 3})}}), "member 4 of 0 to 4 is in none of the parts");
}

TEST_F(Merge, NamesTheMemberThatComesTwice) {
  EXPECT_EQ(refusal({{"a", part_of(whole_, {0, 1, 2})}, {"b", part_of(whole_, {2, 3, 4})}}),
            "b: member 2 is already in a");
}

TEST_F(Merge, NamesThePartThatIsForeignAndWhy) {
  const std::string where = "b: does not belong to a: it was made with ";
  EXPECT_EQ(refusal_with([](auto& state) { state.options[1].second = std::int64_t{80}; }),
            where + "epochs = 80, there 60");
  EXPECT_EQ(refusal_with([](auto& state) { state.version = "9.9.9"; }),
            where + "Credens 9.9.9, there " + std::string(version()));
  EXPECT_EQ(refusal_with([](auto& state) { state.data.rows = 9; }), where + "other data: 9 rows, there 1030");
  EXPECT_EQ(refusal_with([](auto& state) { state.seed = 1; }), where + "seed 1, there 18446744073709551615");
  EXPECT_EQ(refusal_with([](auto& state) { state.total_members = 6; }), where + "6 members in all, there 5");
  EXPECT_EQ(refusal_with([](auto& state) { state.schema.inputs[0].name = "z"; }), where + "other input columns");
  EXPECT_EQ(refusal_with([](auto& state) { state.schema.targets[0].name = "z"; }), where + "other targets");
  EXPECT_EQ(refusal_with([](auto& state) { state.schema.targets[0].position = 1; }), where + "other targets");
  EXPECT_EQ(refusal_with([](auto& state) { state.schema.has_noise = true; }), where + "other columns of known noise");
  EXPECT_EQ(refusal_with([](auto& state) { state.target_scaler.shift[0] = 0.5; }), where + "another scaling");
  EXPECT_EQ(refusal_with([](auto& state) { state.encoder.scaler.scale[0] = 0.5; }), where + "another scaling");
  EXPECT_EQ(refusal_with([](auto& state) {
              state.encoder.scaler.centre = {0, 0};
              state.encoder.scaler.width = {0, 1};
            }),
            where + "another scaling");
  EXPECT_EQ(refusal_with([](auto& state) { state.prior_precision = 2; }),
            where + "lambda 2 in its posterior, there 0.1");
  EXPECT_EQ(refusal_with([](auto& state) { state.posterior = PosteriorKind::full; }),
            where + "posterior full, there diagonal");
  EXPECT_EQ(refusal_with([](auto& state) { state.members[0].posterior.random_bias = true; }),
            where + "another choice of random bias in its posterior");
}

TEST_F(Merge, RefusesMembersWithWeightsOfTheirOwn) {
  EXPECT_EQ(refusal_with([](auto& state) {
              state.weights = {0.5, 0.25, 0.25};
            }),
            "b: its members have weights of their own, expected equal ones before merging");
}

TEST_F(Merge, NeedsAPart) {
  EXPECT_EQ(thrown_by([] { merge({}); }).code, ErrorCode::usage);
}

}  // namespace
}  // namespace credens::store
