// SPDX-License-Identifier: Apache-2.0

#include "learn/held_out.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "learn/member_rows.hpp"
#include "learn/recipe.hpp"
#include "learn/trainer.hpp"
#include "unit/learn/made_up_members.hpp"
#include "unit/learn/paper_options.hpp"
#include "unit/learn/random_rows.hpp"
#include "unit/model/network_block.hpp"

namespace credens::learn {
namespace {

FitOptions some_options(NoiseKind noise = NoiseKind::shared, NoiseLink link = NoiseLink::exp) {
  return paper({.members = 6,
                .hidden = {{5}, {7, 3}},
                .activation = {Activation::silu},
                .noise = noise,
                .noise_link = link,
                .folds = 3,
                .seed = 4});
}

std::vector<model::Member> untrained(const FitOptions& options, const TrainingSet& data) {
  std::vector<model::Member> members;
  for (std::size_t l = 0; l < options.members; ++l) {
    const model::MlpShape shape = member_shape(options, l, data.inputs, data.outputs);
    members.push_back({.index = l,
                       .features = shape.features(),
                       .network = std::make_shared<const model::Mlp>(initial_network(shape, 1, l, 0)),
                       .posterior = {}});
  }
  return members;
}

HeldOut held_out_of(const TrainingSet& data, const FitOptions& options, const std::vector<model::Member>& members,
                    std::size_t most_rows) {
  const TrainingRows rows(data);
  return look_at_held_out(judging_rows(rows, options, members, most_rows), options, members, most_rows);
}

model::MemberBlock block_of(const model::Mlp& network, const TrainingSet& data) {
  model::ForwardBuffers buffers(network.shape(), 16);
  const Matrix known = data.known_variance.empty()
                           ? Matrix()
                           : Matrix(data.rows, data.outputs,
                                    std::vector<double>(data.known_variance.begin(), data.known_variance.end()));
  return model::member_block(network, data.input_values.data(), data.input_stride, data.rows, known, buffers);
}

/// Which row of the training set a row held out is, found by its target.
std::size_t row_in(const TrainingSet& data, const HeldOut& held, std::size_t r) {
  for (std::size_t row = 0; row < data.rows; ++row) {
    if (static_cast<double>(data.targets[row * data.outputs]) == held.targets(r, 0)) return row;
  }
  ADD_FAILURE() << "no such row";
  return 0;
}

double end_of(float log_variance) {
  return std::exp(static_cast<double>(log_variance));
}

void expect_same(const MemberAtRows& at, std::size_t r, const model::MemberBlock& block, std::size_t row,
                 const HeldOut& held) {
  double squared_features = 0;
  for (const double phi : block.features.row(row)) squared_features += phi * phi;
  EXPECT_NEAR(at.squared_features[r], squared_features, 1e-9);
  for (std::size_t k = 0; k < block.mean.cols(); ++k) {
    EXPECT_NEAR(at.mean(r, k), block.mean(row, k), 1e-9);
    if (at.log_variance.cols() == 0) continue;
    const double known = held.known_variance.empty() ? 0 : held.known_variance(r, k);
    const std::size_t unit = std::min(k, at.log_variance.cols() - 1);
    double learned = block.variance(row, k) - known - model::noise_floor;
    if (!at.seen.empty()) learned = std::clamp(learned, end_of(at.seen[unit].low), end_of(at.seen[unit].high));
    EXPECT_NEAR(std::exp(at.log_variance(r, unit)), learned, 1e-5 * block.variance(row, k));
  }
}

TEST(LookAtHeldOut, SaysWhatTheNetworksSay) {
  const TrainingSet data =
      random_rows({.rows = 300, .inputs = 2, .outputs = 2, .noise = true, .weights = true}, 1).training_set();
  for (const NoiseKind noise : {NoiseKind::shared, NoiseKind::per_output, NoiseKind::constant, NoiseKind::known}) {
    for (const NoiseLink link : {NoiseLink::exp, NoiseLink::softplus}) {
      const FitOptions options = some_options(noise, link);
      const std::vector<model::Member> members = untrained(options, data);
      const HeldOut held = held_out_of(data, options, members, 1000);
      const std::size_t units = noise == NoiseKind::known ? 0 : noise == NoiseKind::shared ? 1 : 2;
      ASSERT_EQ(held.rows(), 300U);
      EXPECT_EQ(held.weight_in_all, data.weight_total);
      ASSERT_EQ(held.members.size(), 6U);
      for (std::size_t l = 0; l < 6; ++l) {
        const MemberAtRows& at = held.members[l];
        EXPECT_EQ(at.configuration, l % 2);
        EXPECT_EQ(at.features, l % 2 == 0 ? 5U : 3U);
        ASSERT_EQ(at.log_variance.cols(), units);
        const model::MemberBlock block = block_of(*members[l].network, data);
        for (std::size_t r = 0; r < held.rows(); ++r) expect_same(at, r, block, r, held);
      }
      for (std::size_t r = 0; r < held.rows(); ++r) {
        EXPECT_EQ(held.weights[r], static_cast<double>(data.weight(r)));
        EXPECT_EQ(held.targets(r, 1), static_cast<double>(data.targets[2 * r + 1]));
        EXPECT_EQ(held.known_variance(r, 1), static_cast<double>(data.known(r, 1)));
      }
    }
  }
}

TEST(LookAtHeldOut, KeepsNoiseToWhatItIsAtRowsThatAMemberSaw) {
  const TrainingSet data = random_rows({.rows = 60, .inputs = 2, .outputs = 2}, 1).training_set();
  for (const std::size_t folds : {3U, 1U}) {
    FitOptions options = some_options(NoiseKind::per_output, NoiseLink::exp);
    options.folds = folds;
    const std::vector<model::Member> members = untrained(options, data);
    const HeldOut held = held_out_of(data, options, members, 1000);
    for (std::size_t l = 0; l < members.size(); ++l) {
      const Matrix variance = block_of(*members[l].network, data).variance;
      const std::vector<std::uint32_t> unseen = held_out_rows(options, l, 60);
      for (std::size_t k = 0; k < 2; ++k) {
        double low = std::numeric_limits<double>::infinity();
        double high = 0;
        for (std::uint32_t row = 0; row < 60; ++row) {
          if (std::ranges::binary_search(unseen, row)) continue;
          low = std::min(low, variance(row, k) - model::noise_floor);
          high = std::max(high, variance(row, k) - model::noise_floor);
        }
        EXPECT_NEAR(end_of(held.members[l].seen.at(k).low), low, 1e-5 * low);
        EXPECT_NEAR(end_of(held.members[l].seen.at(k).high), high, 1e-5 * high);
        for (std::size_t r = 0; r < held.rows(); ++r) {
          EXPECT_GE(held.members[l].log_variance(r, k), static_cast<double>(held.members[l].seen[k].low));
          EXPECT_LE(held.members[l].log_variance(r, k), static_cast<double>(held.members[l].seen[k].high));
        }
      }
    }
  }
  const FitOptions softplus = some_options(NoiseKind::shared, NoiseLink::softplus);
  EXPECT_TRUE(held_out_of(data, softplus, untrained(softplus, data), 1000).members[0].seen.empty());
}

TEST(LookAtHeldOut, ListsTheMembersThatDidNotSeeARow) {
  const TrainingSet data = random_rows({.rows = 50, .inputs = 2}, 1).training_set();
  const FitOptions options = some_options();
  const HeldOut held = held_out_of(data, options, untrained(options, data), 1000);
  ASSERT_EQ(held.rows(), 50U);
  for (std::uint32_t r = 0; r < 50; ++r) {
    std::vector<std::uint32_t> expected;
    for (std::uint32_t l = 0; l < 6; ++l) {
      if (std::ranges::binary_search(held_out_rows(options, l, 50), r)) expected.push_back(l);
    }
    EXPECT_EQ(expected.size(), 2U);  // one of each configuration
    EXPECT_TRUE(std::ranges::equal(held.members_of(r), expected)) << r;
  }
  EXPECT_EQ(held.pairs(), 100U);
}

TEST(LookAtHeldOut, TakesSomeRowsWhereThereAreMany) {
  const TrainingSet data = random_rows({.rows = 200, .inputs = 2, .weights = true}, 1).training_set();
  const FitOptions options = some_options();
  const std::vector<model::Member> members = untrained(options, data);
  const HeldOut held = held_out_of(data, options, members, 30);
  ASSERT_EQ(held.rows(), 30U);
  EXPECT_EQ(held.weight_in_all, data.weight_total);
  const model::MemberBlock block = block_of(*members[3].network, data);
  std::vector<std::size_t> rows;
  for (std::size_t r = 0; r < 30; ++r) {
    const std::size_t row = row_in(data, held, r);
    rows.push_back(row);
    EXPECT_EQ(held.weights[r], static_cast<double>(data.weight(row)));
    expect_same(held.members[3], r, block, row, held);
    const auto listed = held.members_of(r);
    const std::vector<std::uint32_t> of_third = held_out_rows(options, 3, 200);
    EXPECT_EQ(std::ranges::find(listed, 3U) != listed.end(),
              std::ranges::binary_search(of_third, static_cast<std::uint32_t>(row)));
  }
  EXPECT_TRUE(std::ranges::is_sorted(rows));
  EXPECT_GT(rows.back(), 150U);  // from all over the table
  EXPECT_EQ(held_out_of(data, options, members, 30).targets, held.targets);
}

TEST(LookAtHeldOut, TakesNoRowThatAllMembersSaw) {
  const TrainingSet data = random_rows({.rows = 200, .inputs = 2}, 1).training_set();
  FitOptions options = some_options();
  options.folds = 1;
  const HeldOut held = held_out_of(data, options, untrained(options, data), 1000);
  const std::vector<std::uint32_t> part = held_out_rows(options, 0, 200);
  ASSERT_EQ(held.rows(), part.size());
  for (std::size_t r = 0; r < part.size(); ++r) EXPECT_EQ(row_in(data, held, r), part[r]);
  EXPECT_EQ(held.pairs(), 6 * part.size());
}

/// Made-up members and targets, these rounded to a step.
HeldOut rounded(double step, std::size_t rows = 1000) {
  HeldOut held = heteroscedastic({.rows = rows}, 4);
  for (double& target : held.targets.values()) target = step * std::round(target / step);
  return held;
}

TEST(RoundingStep, IsThatOfTargetsThatTakeFewValues) {
  EXPECT_NEAR(rounding_step(rounded(0.5), 0).value(), 0.5, 1e-12);
  EXPECT_NEAR(rounding_step(rounded(1.0), 0).value(), 1.0, 1e-12);
}

TEST(RoundingStep, IsNoneWhereValuesDoNotRepeat) {
  EXPECT_FALSE(rounding_step(heteroscedastic({.rows = 1000}, 4), 0));
  EXPECT_FALSE(rounding_step(rounded(0.5, 12), 0)) << "12 rows say too little";
}

TEST(RoundingStep, IsNoneWhereItIsNothingBesideTheErrors) {
  EXPECT_FALSE(rounding_step(rounded(0.02), 0));
}

TEST(RoundingStep, IsNoneWhereOneKindTellsTheValuesApart) {
  HeldOut held = heteroscedastic({.rows = 1000, .members = 4, .configurations = 2}, 4);
  for (double& target : held.targets.values()) target = 0.5 * std::round(target / 0.5);
  EXPECT_TRUE(rounding_step(held, 0));
  for (const double error : {0.26, 0.24}) {
    for (MemberAtRows& member : held.members) {
      if (member.configuration == 0) continue;
      member.mean = held.targets;
      for (double& mean : member.mean.values()) mean += error;
    }
    EXPECT_EQ(rounding_step(held, 0).has_value(), error > 0.25) << error;
  }
}

TEST(RoundingStep, IsNoneForATargetThatIsAlwaysTheSame) {
  HeldOut held = rounded(0.5);
  std::ranges::fill(held.targets.values(), 1.0);
  EXPECT_FALSE(rounding_step(held, 0));
}

TEST(UndoRounding, MovesTargetsByUpToHalfAStep) {
  const HeldOut before = rounded(0.5);
  HeldOut after = before;
  ASSERT_TRUE(undo_rounding(after, 3).at(0));
  double squares = 0;
  for (std::size_t r = 0; r < after.rows(); ++r) {
    const double moved = after.targets(r, 0) - before.targets(r, 0);
    EXPECT_LE(std::abs(moved), 0.25);
    squares += moved * moved;
  }
  // The mean square of a uniform number; its standard error over 1,000 rows is 3 %.
  EXPECT_NEAR(squares / static_cast<double>(after.rows()), 0.25 / 12, 0.1 * 0.25 / 12);
}

TEST(UndoRounding, FollowsTheSeed) {
  HeldOut one = rounded(0.5), same = rounded(0.5), other = rounded(0.5);
  undo_rounding(one, 3);
  undo_rounding(same, 3);
  undo_rounding(other, 4);
  EXPECT_EQ(one.targets.values()[7], same.targets.values()[7]);
  EXPECT_NE(one.targets.values()[7], other.targets.values()[7]);
}

TEST(UndoRounding, LeavesOtherTargetsAsTheyAre) {
  HeldOut held = heteroscedastic({.rows = 1000}, 4);
  const HeldOut before = held;
  EXPECT_FALSE(undo_rounding(held, 3).at(0));
  for (std::size_t r = 0; r < held.rows(); ++r) EXPECT_EQ(held.targets(r, 0), before.targets(r, 0));
}

}  // namespace
}  // namespace credens::learn
