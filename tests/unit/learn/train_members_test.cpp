// SPDX-License-Identifier: Apache-2.0

#include "learn/train_members.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "learn/fit.hpp"
#include "learn/recipe.hpp"
#include "unit/learn/paper_options.hpp"
#include "unit/learn/random_rows.hpp"

namespace credens::learn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Dataset some_rows() {
  return random_rows({.rows = 60, .inputs = 3, .outputs = 2, .weights = true}, 1).dataset();
}

FitOptions small_options() {
  return paper(
      {.members = 6, .hidden = {{8}, {6, 4}}, .activation = {Activation::silu}, .epochs = 5, .batch = 16, .seed = 3});
}

std::vector<std::size_t> indices(const std::vector<model::Member>& members) {
  std::vector<std::size_t> all;
  for (const model::Member& member : members) all.push_back(member.index);
  return all;
}

bool same_network(const model::Member& a, const model::Member& b) {
  return a.index == b.index && a.network->shape() == b.network->shape() &&
         std::ranges::equal(a.network->parameters(), b.network->parameters());
}

std::vector<model::Member> train_some(const FitOptions& options, std::span<const std::size_t> which,
                                      const OnMember& on_member = nullptr) {
  const Dataset data = some_rows();
  const TrainingTable table(data);
  return train_members(TrainingRows(table, options), options, which, on_member);
}

std::vector<model::Member> train_all(FitOptions options) {
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < options.members; ++i) which.push_back(i);
  return train_some(options, which);
}

TEST(TrainMembers, GivesTheSameBitsForAnyNumberOfThreads) {
  FitOptions options = small_options();
  options.threads = 1;
  const auto alone = train_all(options);
  for (const int threads : {2, 4}) {
    options.threads = threads;
    const auto together = train_all(options);
    ASSERT_EQ(together.size(), alone.size());
    for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_TRUE(same_network(alone[i], together[i])) << i;
  }
}

TEST(TrainMembers, TrainsAPartAsInTheWhole) {
  const auto whole = train_all(small_options());
  const std::vector<std::size_t> which{4, 1};
  const auto part = train_some(small_options(), which);
  EXPECT_THAT(indices(part), ElementsAre(4, 1));
  EXPECT_TRUE(same_network(part[0], whole[4]));
  EXPECT_TRUE(same_network(part[1], whole[1]));
  EXPECT_EQ(part[0].features, 8U);
  EXPECT_EQ(part[1].features, 4U);
}

TEST(TrainMembers, RefusesAMemberBeyondTheEnsemble) {
  const std::vector<std::size_t> which{6};
  EXPECT_THROW(train_some(small_options(), which), Error);
}

TEST(TrainMembers, HandsOverEachMemberOnceByOneThreadAtATime) {
  FitOptions options = small_options();
  options.threads = 4;
  std::atomic<int> inside = 0;
  std::vector<std::size_t> handed;
  const std::vector<std::size_t> which{0, 1, 2, 3, 4, 5};
  train_some(options, which, [&](const model::Member& member) {
    EXPECT_EQ(++inside, 1);
    handed.push_back(member.index);
    std::this_thread::yield();
    --inside;
  });
  std::ranges::sort(handed);
  EXPECT_EQ(handed, which);
}

TEST(TrainMembers, ReportsProgressThatNeverFallsAndEndsAtOne) {
  FitOptions options = small_options();
  options.threads = 2;
  std::vector<Progress> seen;
  options.on_progress = [&](const Progress& progress) { seen.push_back(progress); };
  train_all(options);
  ASSERT_FALSE(seen.empty());
  for (std::size_t i = 1; i < seen.size(); ++i) {
    EXPECT_GE(seen[i].fraction, seen[i - 1].fraction);
    EXPECT_GE(seen[i].seconds_elapsed, seen[i - 1].seconds_elapsed);
    EXPECT_GE(seen[i].seconds_left, 0);
  }
  EXPECT_EQ(seen.back().fraction, 1);
  EXPECT_EQ(seen.back().members_done, 6U);
  EXPECT_EQ(seen.back().members, 6U);
}

TEST(TrainMembers, StopsAfterHandingOverWhatIsFinished) {
  FitOptions options = small_options();
  options.threads = 1;
  std::stop_source stop;
  options.stop = stop.get_token();
  std::size_t handed = 0;
  const std::vector<std::size_t> which{0, 1, 2, 3, 4, 5};
  try {
    train_some(options, which, [&](const model::Member&) {
      if (++handed == 2) stop.request_stop();
    });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::interrupted);
    EXPECT_STREQ(error.what(), "stopped; 2 of 6 members finished");
  }
  EXPECT_EQ(handed, 2U);
}

TEST(TrainMembers, StopsMembersThatRunWhenOneFails) {
  FitOptions options = small_options();
  options.members = 2;
  options.hidden = {{8}};
  options.epochs = 100000000;  // never ends by itself
  options.threads = 2;
  options.on_progress = [](const Progress&) { throw Error(ErrorCode::io, "the listener failed"); };
  try {
    train_all(options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the listener failed");
  }
}

TEST(TrainMembers, NamesTheMemberThatDiverges) {
  FitOptions options = small_options();
  options.learning_rate = 1e6;
  options.threads = 1;
  try {
    train_all(options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::numerical);
    EXPECT_THAT(error.what(), HasSubstr("member 0 diverged"));
  }
}

TEST(TrainMembers, UsesRowsHeldBackForEarlyStopping) {
  FitOptions options = small_options();
  const auto all_rows = train_all(options);
  options.validation_fraction = 0.2;
  options.patience = 1;
  const auto some = train_all(options);
  EXPECT_FALSE(same_network(all_rows[0], some[0]));
}

TEST(Assemble, MakesANarrowEnsembleThatRemembersItsMaking) {
  const Dataset data({.inputs = Matrix(4, 2, {1, 2, 3, 5, 7, 11, 13, 17}),
                      .targets = Matrix(4, 1, {1, 2, 4, 8}),
                      .noise_std = Matrix(4, 1, 0.5),
                      .input_names = {"a", "b"},
                      .target_names = {"z"},
                      .noise_names = {"dz"}});
  FitOptions options = small_options();
  options.prior_precision = 0.5;
  options.posterior = PosteriorKind::full;
  const std::vector<std::size_t> which{5, 2};
  Fit fit(data::rows_of(data), options);
  const Ensemble ensemble = fit.part(fit.train(fit.plan().options, which));
  const model::EnsembleState& state = ensemble.state();
  EXPECT_THAT(indices(state.members), ElementsAre(2, 5));
  EXPECT_EQ(state.total_members, 6U);
  EXPECT_THAT(state.weights, ElementsAre(0.5, 0.5));
  EXPECT_EQ(state.schema, data.schema());
  EXPECT_EQ(state.posterior, PosteriorKind::delta);
  EXPECT_EQ(state.prior_precision, 0.5);
  EXPECT_EQ(state.options, stored_options(options));
  EXPECT_EQ(state.seed, 3U);
  EXPECT_EQ(state.data.rows, 4U);
  EXPECT_EQ(state.data.fingerprint, data.fingerprint());
  EXPECT_DOUBLE_EQ(state.target_scaler.shift[0], 3.75);
}

class ProgressMeterTest : public testing::Test {
 protected:
  std::vector<Progress> seen_;
  ProgressMeter meter_{2, 10, [this](const Progress& progress) { seen_.push_back(progress); }};
};

TEST_F(ProgressMeterTest, ReportsTheFirstEpochAndThenAtMostTenTimesASecond) {
  for (std::size_t epoch = 1; epoch <= 9; ++epoch) meter_.epoch_done(0, epoch);
  ASSERT_FALSE(seen_.empty());
  EXPECT_DOUBLE_EQ(seen_.front().fraction, 0.05);
  EXPECT_LE(static_cast<double>(seen_.size()), 2 + 10 * seen_.back().seconds_elapsed);
}

TEST_F(ProgressMeterTest, ReportsTheEndAlways) {
  meter_.epoch_done(0, 1);
  meter_.member_done(0);
  meter_.member_done(1);
  EXPECT_EQ(seen_.back().fraction, 1);
  EXPECT_EQ(seen_.back().members_done, 2U);
  EXPECT_EQ(seen_.back().members, 2U);
  EXPECT_EQ(seen_.back().seconds_left, 0);
  EXPECT_EQ(meter_.members_done(), 2U);
}

TEST_F(ProgressMeterTest, NeverFallsBackWhenAMemberStartsAgain) {
  meter_.epoch_done(0, 6);
  meter_.epoch_done(0, 1);
  meter_.member_done(1);
  meter_.epoch_done(0, 7);
  meter_.member_done(0);
  EXPECT_DOUBLE_EQ(seen_.front().fraction, 0.3);
  for (std::size_t i = 1; i < seen_.size(); ++i) EXPECT_GE(seen_[i].fraction, seen_[i - 1].fraction);
}

TEST(ProgressMeterWithoutListener, CountsAllTheSame) {
  ProgressMeter meter(1, 3, nullptr);
  meter.epoch_done(0, 1);
  meter.member_done(0);
  EXPECT_EQ(meter.members_done(), 1U);
}

}  // namespace
}  // namespace credens::learn
