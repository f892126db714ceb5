// SPDX-License-Identifier: Apache-2.0

#include "cli/team_training.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <thread>

#include "base/bytes.hpp"
#include "learn/plan.hpp"
#include "learn/recipe.hpp"

namespace credens::cli {
namespace {

using testing::HasSubstr;

/// One rank of two, whose partner the test plays.
class HalfTeam : public base::Team {
 public:
  explicit HalfTeam(std::size_t rank) : rank_(rank) {}

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return 2; }
  std::string broadcast(std::string bytes) override { return rank_ == 0 ? bytes : from_rank_0; }

  void post(std::string_view bytes) override {
    posts.emplace_back(bytes);
    hear(0, bytes);
  }
  void listen(Listener listener) override {
    const std::lock_guard lock(mutex_);
    listener_ = std::move(listener);
  }
  void hear(std::size_t from, std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    if (listener_) listener_(from, bytes);
  }

  std::string from_rank_0;
  std::vector<std::string> posts;

 private:
  std::size_t rank_;
  std::mutex mutex_;
  Listener listener_;
};

class TeamTraining : public testing::Test {
 protected:
  TeamTask task(base::Team& team) const {
    return {.team = team,
            .train = train_,
            .options = options_,
            .identity = {.options = learn::stored_options(options_), .data = {}, .version = "1"},
            .progress = ProgressKind::plain,
            .keep = [](const model::Member&) {}};
  }

  /// What rank 1 posts of the members 0 and 1, of which it has the second.
  std::vector<std::string> posts_of_rank_1() const {
    HalfTeam team(1);
    base::append_value(team.from_rank_0, std::size_t{2});
    for (const std::size_t member : {0U, 1U}) base::append_value(team.from_rank_0, member);
    EXPECT_ANY_THROW(train_in_team(task(team), {}, {})) << "the list of members are no members";
    return team.posts;
  }

 private:
  Dataset rows_{{.inputs = Matrix(4, 1, std::vector<double>{0, 1, 2, 3}),
                 .targets = Matrix(4, 1, std::vector<double>{1, 0, 1, 2})}};
  learn::TrainingRows train_{rows_};
  FitOptions options_ =
      learn::make_plan({.recipe = Recipe::paper, .members = 2, .hidden = {{2}}, .epochs = 1}, train_).options;
};

TEST_F(TeamTraining, HearsWarningsAfterTheLastMember) {
  const std::vector<std::string> posts = posts_of_rank_1();
  HalfTeam team(0);
  std::vector<model::Member> members;
  testing::internal::CaptureStderr();
  {
    std::jthread fit([&] { members = train_in_team(task(team), {}, {0, 1}); });
    const auto pause = [] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); };
    pause();
    for (const std::string& post : posts) {
      if (&post == &posts.back()) {
        pause();
        team.hear(1, "wmember 1 diverged");
      }
      team.hear(1, post);
    }
  }
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("member 1 diverged"));
  EXPECT_EQ(members.size(), 2);
}

}  // namespace
}  // namespace credens::cli
