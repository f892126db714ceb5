// SPDX-License-Identifier: Apache-2.0

#include "report/expectation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>

#include "model/ensemble_state.hpp"

namespace credens::report {
namespace {

using testing::HasSubstr;

Ensemble ensemble_of(std::size_t outputs, std::optional<Expectation> expected, const std::string& folds = "") {
  auto state = std::make_shared<model::EnsembleState>();
  state->members.resize(1);
  state->total_members = 1;
  for (std::size_t k = 0; k < outputs; ++k) state->schema.targets.push_back({.name = "y" + std::to_string(k)});
  if (!folds.empty()) state->options = {{"folds", folds}};
  state->expected = std::move(expected);
  return Ensemble(state);
}

TEST(EstimateText, GoesAsFarAsTheStandardError) {
  EXPECT_EQ(estimate_text({2.31456, 0.1234}), "2.31 +- 0.12");
  EXPECT_EQ(estimate_text({2314.56, 123.4}), "2315 +- 123");
  EXPECT_EQ(estimate_text({-0.00123456, 0.00012}), "-0.00123 +- 0.00012");
  EXPECT_EQ(estimate_text({5, 0}), "5.00 +- 0.0");
  EXPECT_EQ(estimate_text({3e12, 4e10}), "3.00e+12 +- 4.0e+10");
  EXPECT_EQ(estimate_text({1, std::numeric_limits<double>::infinity()}), "1.00 +- –");
}

TEST(ExpectationTable, HasAColumnForEachOfTheFirstOutputs) {
  const Expectation expected{.rows = 50, .outputs = std::vector<OutputExpectation>(8)};
  const Table table = expectation_table(ensemble_of(8, expected));
  EXPECT_EQ(table.caption, "What new rows may expect, by 50 held-out rows (the first 6 of 8 outputs):");
  EXPECT_EQ(table.headings, (std::vector<std::string>{"", "y0", "y1", "y2", "y3", "y4", "y5"}));
  check(table);
}

TEST(ExpectationText, SaysWhyThereIsNone) {
  EXPECT_THAT(expectation_text(ensemble_of(1, std::nullopt)), HasSubstr("not trained here"));
  EXPECT_THAT(expectation_text(ensemble_of(1, std::nullopt, "0")), HasSubstr("no rows were held out"));
  EXPECT_THAT(expectation_text(ensemble_of(1, std::nullopt, "5")), HasSubstr("not the model whose"));
  EXPECT_EQ(expectation_json(ensemble_of(1, std::nullopt)), nullptr);
}

TEST(ExpectationJson, NamesTheOutputs) {
  Expectation expected{.rows = 50, .outputs = std::vector<OutputExpectation>(2)};
  expected.outputs[1].rmse = {2, 0.5};
  const Json document = expectation_json(ensemble_of(2, expected));
  EXPECT_EQ(document["rows"], 50);
  EXPECT_EQ(document["outputs"][0]["output"], "y0");
  EXPECT_EQ(document["outputs"][1]["output"], "y1");
  EXPECT_EQ(document["outputs"][1]["rmse"]["standard_error"], 0.5);
}

}  // namespace
}  // namespace credens::report
