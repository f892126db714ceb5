// SPDX-License-Identifier: Apache-2.0

#include "cli/training.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>
#include <mutex>

#include "learn/fit.hpp"
#include "learn/recipe.hpp"
#include "support/temporary_folder.hpp"
#include "support/thread_team.hpp"

namespace credens::cli {
namespace {

using testing::HasSubstr;

class TrainingTest : public testing::Test {
 protected:
  TrainingPlan plan(std::size_t members) {
    const FitOptions given{.recipe = Recipe::paper, .members = members, .hidden = {{2}}, .epochs = 1};
    const std::lock_guard lock(mutex_);
    learn::Fit& fit = fits_.emplace_back(data::rows_of(rows_), given);
    return {.fit = &fit, .options = fit.plan().options, .range = {0, members}, .progress = ProgressKind::none};
  }

 private:
  /// The second input never changes, which training warns of.
  Dataset rows_{{.inputs = Matrix(4, 2, std::vector<double>{0, 5, 1, 5, 2, 5, 3, 5}),
                 .targets = Matrix(4, 1, std::vector<double>{1, 0, 1, 2})}};
  std::mutex mutex_;
  std::list<learn::Fit> fits_;  ///< one for each rank
};

std::vector<std::string> bytes_of(const std::vector<model::Member>& members) {
  std::vector<std::string> bytes;
  for (const model::Member& member : members) bytes.push_back(store::encode_member(member, {}));
  return bytes;
}

TEST_F(TrainingTest, IsInterruptedAfterItsLastMemberToo) {
  std::stop_source source;
  TrainingPlan one = plan(1);
  one.options.stop = source.get_token();
  Training training(one);
  training.run();
  EXPECT_NO_THROW(training.stop_if_asked());
  source.request_stop();
  try {
    training.stop_if_asked();
    FAIL() << "the request went unheard";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::interrupted);
    EXPECT_STREQ(error.what(), "interrupted; no member is kept because there is no --checkpoint");
  }
}

TEST_F(TrainingTest, GivesAllRanksTheMembersOfOneProcess) {
  const std::vector<std::string> expected = bytes_of(Training(plan(5)).run());
  for (const std::size_t ranks : {2U, 3U, 7U}) {
    test::run_team(ranks, [&](base::Team& team) {
      TrainingPlan own = plan(5);
      own.team = &team;
      EXPECT_EQ(bytes_of(Training(own).run()), expected) << ranks << " ranks";
    });
  }
}

TEST_F(TrainingTest, SaysWarningsOfAllRanksOnce) {
  constexpr std::string_view start = "credens: warning: an input is constant";
  for (const std::size_t members : {1U, 6U}) {  // of one member rank 0 has no share
    testing::internal::CaptureStderr();
    test::run_team(3, [&](base::Team& team) {
      TrainingPlan own = plan(members);
      own.team = &team;
      Training(own).run();
    });
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_THAT(said, HasSubstr(start));
    EXPECT_EQ(said.find(start), said.rfind(start)) << said;
  }
}

TEST_F(TrainingTest, GoesOnWithMembersThatRanksFindInTheirFolders) {
  const test::TemporaryFolder folder;
  TrainingPlan kept = plan(4);
  kept.checkpoint = folder / "0";
  kept.checkpoint_is_ours = false;
  const std::vector<std::string> expected = bytes_of(Training(kept).run());
  std::filesystem::create_directory(folder / "1");
  for (const char* member : {"member-00001.safetensors", "member-00002.safetensors"}) {
    std::filesystem::copy(folder / "0" / member, folder / "1");
  }
  std::filesystem::remove(folder / "0" / "member-00002.safetensors");
  std::filesystem::remove(folder / "0" / "member-00003.safetensors");
  test::run_team(2, [&](base::Team& team) {
    TrainingPlan own = plan(4);
    own.checkpoint_is_ours = false;
    own.checkpoint = folder / std::to_string(team.rank());
    own.resume = true;
    own.team = &team;
    EXPECT_EQ(bytes_of(Training(own).run()), expected);
  });
  EXPECT_FALSE(std::filesystem::exists(folder / "0" / "member-00003.safetensors")) << "it was rank 1's to train";
  EXPECT_TRUE(std::filesystem::exists(folder / "1" / "member-00003.safetensors"));
}

}  // namespace
}  // namespace credens::cli
