// SPDX-License-Identifier: Apache-2.0

#include "store/promise_document.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <limits>

#include "store/model_document.hpp"
#include "store/model_file.hpp"
#include "unit/store/example_ensembles.hpp"

namespace credens::store {
namespace {

TEST(PromiseDocument, SurvivesTheWayThroughAFile) {
  const Ensemble ensemble = example_ensemble({.outputs = 2, .promised = true});
  const std::string bytes = encode_model(ensemble);
  const Ensemble again = decode_model(bytes);
  expect_same_state(again.state(), ensemble.state());
  EXPECT_TRUE(again.promise().has_value());
  EXPECT_EQ(encode_model(again), bytes);
}

TEST(PromiseDocument, OfAModelWithoutLeavesItsBytes) {
  const std::string bytes = encode_model(example_ensemble({}));
  EXPECT_EQ(bytes.find("promise"), std::string::npos);
}

/// Reads a promised model after `spoil` changed its document.
Thrown refusal(const std::function<void(Json&)>& spoil) {
  const std::string bytes = encode_model(example_ensemble({.promised = true}));
  const SafetensorsReader file(bytes);
  TensorMap tensors = file.tensors();
  Json document = Json::parse(file.metadata(model_key).value());
  spoil(document);
  return thrown_by([&] { check_storable(read_document(document, tensors)); });
}

TEST(PromiseDocument, RefusesWhatIsNone) {
  const std::pair<std::function<void(Json&)>, std::string> spoiled[] = {
      {[](Json& json) { json["promise"].erase("edges"); }, "promise.edges is missing"},
      {[](Json& json) { json["promise"]["colour"] = 1; }, "unknown key \"promise.colour\""},
      {[](Json& json) { json["promise"]["groups"][0]["rows"] = 4U; },
       "tensor promise.0.scores is F64 [3, 1], expected F64 [4, 1]"},
      {[](Json& json) { json["promise"]["groups"][1]["rows"] = 1'000'000'000'000U; },
       "tensor promise.1.scores is F64 [2, 1], expected F64 [1000000000000, 1]"},
      {[](Json& json) { json["promise"]["groups"].push_back({{"name", "c"}, {"rows", 2U}}); },
       "tensor promise.2.scores is missing"},
      {[](Json& json) { json["promise"]["groups"] = Json::array(); }, "a promise has no groups, expected at least 1"},
      {[](Json& json) { json["promise"]["column"] = ""; }, "a promise has 2 groups, but nothing divides them"},
      {[](Json& json) { json["promise"]["edges"] = {0.5}; },
       "a promise is divided by a column and by ignorance, expected one of them"},
      {[](Json& json) { json["promise"]["groups"][1]["name"] = "a"; },
       "the groups of a promise are not in their order"},
      {[](Json& json) { json["promise"]["groups"][1]["name"] = "b\x1b"; },
       "the group of a promise \"b\\x1b\" is not UTF-8 text on one line"}};
  for (const auto& [spoil, sentence] : spoiled) {
    const Thrown thrown = refusal(spoil);
    EXPECT_EQ(thrown.code, ErrorCode::model);
    EXPECT_EQ(thrown.sentence, sentence);
  }
}

TEST(PromiseDocument, RefusesScoresThatAreNoNumbers) {
  model::EnsembleState state = example_state({.promised = true});
  state.promise->groups[0].scores(1, 0) = std::numeric_limits<double>::quiet_NaN();
  const Thrown thrown = thrown_by([&] { check_storable(state); });
  EXPECT_EQ(thrown.sentence, "group 0 of a promise has a score that is no number");
}

TEST(PromiseDocument, RefusesEdgesThatDoNotFit) {
  model::EnsembleState state = example_state({.promised = true});
  state.promise->column = "";
  state.promise->edges = {0.5, 0.7};
  EXPECT_EQ(thrown_by([&] { check_storable(state); }).sentence, "a promise has 2 groups and 2 edges of ignorance");
  state.promise->edges = {std::numeric_limits<double>::infinity()};
  EXPECT_EQ(thrown_by([&] { check_storable(state); }).sentence,
            "the edges of a promise are no ascending numbers");
}

}  // namespace
}  // namespace credens::store
