// SPDX-License-Identifier: Apache-2.0

#include "cli/training.hpp"

#include <gtest/gtest.h>

#include "learn/plan.hpp"

namespace credens::cli {
namespace {

TEST(Training, IsInterruptedAfterItsLastMemberToo) {
  const Dataset rows({.inputs = Matrix(4, 1, std::vector<double>{0, 1, 2, 3}),
                      .targets = Matrix(4, 1, std::vector<double>{1, 0, 1, 2})});
  const learn::TrainingRows train(rows);
  std::stop_source source;
  FitOptions options =
      learn::make_plan({.recipe = Recipe::paper, .members = 1, .hidden = {{2}}, .epochs = 1}, train).options;
  options.stop = source.get_token();
  Training training({.train = &train, .options = options, .range = {0, 1}, .progress = ProgressKind::none});
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

}  // namespace
}  // namespace credens::cli
