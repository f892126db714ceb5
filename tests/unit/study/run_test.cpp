// SPDX-License-Identifier: Apache-2.0

#include "study/run.hpp"

#include <credens/error.hpp>

#include <fstream>

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "support/temporary_folder.hpp"

namespace credens::study {
namespace {

using StudyRun = Run;  // inside a fixture Run is gtest's

/// Runs that count how often they work; the value of run i is i + 1/3.
class Perform : public testing::Test {
 protected:
  StudyRun run(int number, const std::string& settings = "usual") {
    return {.name = "run-" + std::to_string(number),
            .settings = settings,
            .work = [this, number](const RunContext& context) {
              ++worked_;
              if (context.on_progress) context.on_progress({.fraction = 0.5});
              if (number == stop_at_) stop_.request_stop();
              return std::vector<Measurement>{{.key = {.metric = "m"}, .value = number + 1.0 / 3}};
            }};
  }
  std::vector<StudyRun> three_runs() { return {run(0), run(1), run(2)}; }
  auto perform_all(const std::vector<StudyRun>& runs) {
    return perform(runs, folder_.path(), {.stop = stop_.get_token()});
  }

  test::TemporaryFolder folder_;
  std::stop_source stop_;
  int worked_ = 0;
  int stop_at_ = -1;
};

TEST_F(Perform, GivesTheMeasurementsInTheOrderOfTheRuns) {
  const auto all = perform_all(three_runs());
  ASSERT_EQ(all.size(), 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)].front().value, i + 1.0 / 3);
}

TEST_F(Perform, WorksNothingOutTwiceAndReadsBackTheSameDoubles) {
  perform_all(three_runs());
  const auto again = perform_all(three_runs());
  EXPECT_EQ(worked_, 3);
  EXPECT_EQ(again[2].front().value, 2 + 1.0 / 3);
  EXPECT_EQ(again[2].front().key, MeasurementKey{.metric = "m"});
}

TEST_F(Perform, StoppedRunsGoOnWhereTheyWere) {
  stop_at_ = 1;
  try {
    perform_all(three_runs());
    FAIL() << "was not stopped";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::interrupted);
  }
  EXPECT_EQ(worked_, 2);
  stop_ = {};
  stop_at_ = -1;
  EXPECT_EQ(perform_all(three_runs()).size(), 3);
  EXPECT_EQ(worked_, 3);
}

TEST_F(Perform, OtherSettingsAreWorkedOutAnew) {
  perform_all({run(0)});
  perform_all({run(0, "other")});
  EXPECT_EQ(worked_, 2);
}

TEST_F(Perform, DamagedFilesAreMadeAgain) {
  perform_all({run(0)});
  for (const char* damage : {"", "{", "[]", R"({"version":"x"})"}) {
    worked_ = 0;
    base::write_file(folder_ / "run-0.json", damage);
    EXPECT_EQ(perform_all({run(0)}).front().front().value, 1.0 / 3);
    EXPECT_EQ(worked_, 1) << damage;
  }
}

TEST_F(Perform, TellsHowFarAllRunsAre) {
  std::vector<StudyRun> runs = three_runs();
  runs[2].effort = 2;
  std::vector<double> fractions;
  perform(runs, folder_.path(),
          {.on_progress = [&](const Progress& progress) { fractions.push_back(progress.fraction); }});
  EXPECT_EQ(fractions, (std::vector<double>{0.125, 0.375, 0.75}));
}

TEST_F(Perform, TimeLeftCountsTheWorkOfThisCallAlone) {
  perform_all({run(0), run(1)});
  std::vector<Progress> seen;
  perform(three_runs(), folder_.path(), {.on_progress = [&](const Progress& progress) { seen.push_back(progress); }});
  ASSERT_EQ(seen.size(), 1);
  EXPECT_EQ(seen[0].members_done, 2);
  EXPECT_DOUBLE_EQ(seen[0].seconds_left, seen[0].seconds_elapsed) << "half of the only run is done";
}

TEST(WordsOf, NameEveryOptionThatDeterminesTheResult) {
  const std::string words =
      words_of({.recipe = Recipe::paper, .members = 3, .epochs = 7, .batch = 5, .prior_precision = 0.25, .threads = 9});
  for (const char* word : {"members 3", "epochs 7", "batch 5", "lambda 0.25", "schedule ", "seed 0"}) {
    EXPECT_NE(words.find(word), std::string::npos) << words;
  }
  EXPECT_EQ(
      words,
      words_of(
          {.recipe = Recipe::paper, .members = 3, .epochs = 7, .batch = 5, .prior_precision = 0.25, .threads = 1}));
}

TEST(WordsOf, NameWhatTheRecipeDecides) {
  const learn::DataSize size{.rows = 300, .inputs = 8, .outputs = 1};
  const std::string words = words_of({.epochs = 7}, size);
  for (const char* word : {"recipe auto", "epochs 7", "members ", "hidden_precision ", "lambda "}) {
    EXPECT_NE(words.find(word), std::string::npos) << words;
  }
  EXPECT_NE(words, words_of({.epochs = 7}, {.rows = 30000, .inputs = 8, .outputs = 1}));
}

TEST(TrainingEffort, CountsWeightsRowsEpochsAndMembers) {
  EXPECT_EQ(training_effort({.members = 2, .hidden = {{4, 3}}, .epochs = 5}, 7, 6), (6 * 4 + 4 * 3) * 2.0 * 5 * 7);
}

}  // namespace
}  // namespace credens::study
