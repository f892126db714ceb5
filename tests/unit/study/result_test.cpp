// SPDX-License-Identifier: Apache-2.0

#include "study/result.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/error_matchers.hpp"

namespace credens::study {
namespace {

Measurement coverage(std::size_t rows, double value) {
  return {.key = {.series = "rows",
                  .data = "figure2",
                  .rows = rows,
                  .members = 10,
                  .method = "extended",
                  .metric = "function_coverage"},
          .value = value};
}

std::vector<Result> three_repetitions() {
  return summarise("figure2",
                   std::vector<std::vector<Measurement>>{
                       {coverage(300, 0.5), coverage(100, 0.25)}, {coverage(300, 0.75)}, {coverage(300, 1.0)}});
}

TEST(Summarise, GivesMeanSampleSpreadAndRange) {
  const Result result = three_repetitions().front();
  EXPECT_DOUBLE_EQ(result.mean, 0.75);
  EXPECT_DOUBLE_EQ(result.std, 0.25);  // sqrt((0.0625 + 0 + 0.0625) / 2)
  EXPECT_EQ(result.count, 3);
  EXPECT_EQ(result.least, 0.5);
  EXPECT_EQ(result.largest, 1.0);
}

TEST(Summarise, KeepsTheOrderInWhichKeysAppear) {
  const auto results = three_repetitions();
  ASSERT_EQ(results.size(), 2);
  EXPECT_EQ(results[0].key.rows, 300);
  EXPECT_EQ(results[1].key.rows, 100);
}

TEST(Summarise, OneValueHasNoSpread) {
  EXPECT_TRUE(std::isnan(three_repetitions()[1].std));
}

TEST(ResultsJson, HasTheKeysOfTheFormat) {
  const auto document = nlohmann::ordered_json::parse(results_json(three_repetitions()));
  std::vector<std::string> keys;
  for (const auto& [key, value] : document[0].items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"experiment", "series", "data", "rows", "members", "method", "metric",
                                            "mean", "std", "standard_error", "least", "largest", "count", "paper"}));
  EXPECT_EQ(document[0]["mean"], 0.75);
  EXPECT_DOUBLE_EQ(document[0]["standard_error"], 0.25 / std::sqrt(3.0));
  EXPECT_EQ(document[0]["rows"], 300);
  EXPECT_TRUE(document[1]["std"].is_null());
  EXPECT_TRUE(document[0]["paper"].is_null());
}

TEST(ResultsCsv, HoldsTheSameAsTheJson) {
  std::vector<Result> results = three_repetitions();
  results[0].key.series = "";
  results[0].paper = 1.0;
  results[0].count = 4;
  EXPECT_EQ(results_csv(results),
            "experiment,series,data,rows,members,method,metric,mean,std,standard_error,least,largest,count,paper\n"
            "figure2,,figure2,300,10,extended,function_coverage,0.75,0.25,0.125,0.5,1,4,1\n"
            "figure2,rows,figure2,100,10,extended,function_coverage,0.25,,,0.25,0.25,1,\n");
  EXPECT_TRUE(nlohmann::json::parse(results_json(results))[0]["series"].is_null());
}

TEST(ParseResults, ReadsBackWhatWasWritten) {
  std::vector<Result> results = three_repetitions();
  results[0].key.series = "";
  results[0].paper = 1.0;
  const std::string text = results_json(results);
  EXPECT_EQ(results_json(parse_results(text, "r.json")), text);
  for (const char* other : {"", "{}", "[1]", R"([{"experiment": "figure1"}])", R"([{"surprise": 1}])"}) {
    EXPECT_THAT([&] { parse_results(other, "r.json"); }, test::Fails(ErrorCode::data)) << other;
  }
}

Result named(const std::string& experiment, const std::string& series, const std::string& data, double mean) {
  return {.experiment = experiment, .key = {.series = series, .data = data}, .mean = mean};
}

TEST(MergeResults, KeepsWhatIsNotFoundAnewInTheOrderOfExperiments) {
  const std::vector<Result> kept = {named("uci", "gap", "yacht", 1), named("uci", "standard", "yacht", 2),
                                    named("figure1", "", "figure1", 3)};
  const std::vector<Result> found = {named("uci", "standard", "yacht", 4), named("figure2", "rows", "figure2", 5)};
  const std::vector<std::string> order = {"figure1", "figure2", "uci"};
  std::vector<double> means;
  for (const Result& result : merge_results(kept, found, order)) means.push_back(result.mean);
  EXPECT_EQ(means, (std::vector<double>{3, 5, 1, 4}));
}

TEST(FindResult, LooksAtTheWholeKey) {
  const auto results = three_repetitions();
  EXPECT_EQ(find_result(results, "figure2", coverage(100, 0).key), &results[1]);
  EXPECT_EQ(find_result(results, "figure1", coverage(100, 0).key), nullptr);
  EXPECT_EQ(find_result(results, "figure2", coverage(200, 0).key), nullptr);
}

}  // namespace
}  // namespace credens::study
