// SPDX-License-Identifier: Apache-2.0
//
// Files of every format version there ever was must go on loading and say the same. tests/reference/formats/README.md
// says how they came about.

#include <gtest/gtest.h>
#include <credens/store.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/file.hpp"
#include "store/model_document.hpp"
#include "store/model_file.hpp"
#include "unit/store/example_ensembles.hpp"

namespace credens::store {
namespace {

const std::string version_1 = CREDENS_TEST_DATA "/reference/formats/v1.safetensors";

Json document_without_version(const SafetensorsReader& file) {
  Json document = open_document(file, model_key);
  document.erase("version");
  document.erase("format_version");
  return document;
}

TEST(Formats, Version1StillLoads) {
  const Ensemble ensemble = load(version_1);
  EXPECT_EQ(ensemble.members(), 3U);
  EXPECT_EQ(ensemble.posterior(), PosteriorKind::full);
  EXPECT_EQ(ensemble.prior_precision(), 0.1);
  EXPECT_EQ(ensemble.input_names(), (std::vector<std::string>{"x0", "x1"}));
  EXPECT_EQ(ensemble.state().members[1].network->frequencies().size(), 4U);
  EXPECT_TRUE(ensemble.state().encoder.scaler.has_asinh(1));
}

TEST(Formats, NamesOfVersion010ArePlainNamesOnceLoaded) {
  const Ensemble ensemble = load(CREDENS_TEST_DATA "/reference/formats/v1-names.safetensors");
  const auto has_option = [&](std::string_view name) {
    return std::ranges::any_of(ensemble.state().options, [&](const auto& option) { return option.first == name; });
  };
  const auto has_decision = [&](std::string_view name) {
    return std::ranges::any_of(ensemble.state().decisions, [&](const auto& decision) { return decision.name == name; });
  };
  EXPECT_TRUE(has_option("asinh_inputs"));
  EXPECT_FALSE(has_option("bend_inputs"));
  EXPECT_TRUE(has_decision("configuration_weights") && has_decision("tail_components"));
  EXPECT_FALSE(has_decision("kind_weights") || has_decision("wide_members"));
  const Predictive predictive = ensemble.predict(Matrix(2, 2, std::vector<double>{0.5, -1, 2, 0.25}));
  EXPECT_NEAR(predictive.mean()(0, 0), 1.0030452406949926, 1e-6);
  EXPECT_NEAR(predictive.mean()(1, 0), 1.0685294595567045, 1e-6);
}

TEST(Formats, PlacesOfTheTargetsAreKeptWhereTheyAreKnown) {
  model::EnsembleState state = example_ensemble({.outputs = 2}).state();
  EXPECT_FALSE(decode_model(encode_model(make_ensemble(state))).state().schema.targets[0].position);
  state.schema.table_columns = 6;
  state.schema.targets[0].position = 5;
  state.schema.targets[1].position = 3;
  EXPECT_EQ(decode_model(encode_model(make_ensemble(state))).state().schema, state.schema);
}

TEST(Formats, DecisionsAreKept) {
  model::EnsembleState state = example_ensemble({}).state();
  EXPECT_TRUE(decode_model(encode_model(make_ensemble(state))).state().decisions.empty());
  state.decisions = {{"folds", "10", "few rows"}, {"lambda", "0.1", "\"quoted\""}};
  EXPECT_EQ(decode_model(encode_model(make_ensemble(state))).state().decisions, state.decisions);
}

TEST(Formats, ExpectationAndRowHashesAreKept) {
  model::EnsembleState state = example_ensemble({.outputs = 2}).state();
  const model::EnsembleState without = decode_model(encode_model(make_ensemble(state))).state();
  EXPECT_FALSE(without.expected);
  EXPECT_TRUE(without.row_hashes.empty());
  constexpr double infinite = std::numeric_limits<double>::infinity();
  state.row_hashes = {0, 7, (std::uint64_t{1} << 53) - 1};
  state.expected = {.rows = 11, .level = 0.95, .nll = {-0.1, infinite}, .outputs = {{.rmse = {1.5, 0.25}}, {}}};
  state.expected->outputs[1].epistemic_std = {1e-300, 2};
  const model::EnsembleState again = decode_model(encode_model(make_ensemble(state))).state();
  EXPECT_EQ(again.row_hashes, state.row_hashes);
  ASSERT_TRUE(again.expected);
  EXPECT_EQ(again.expected->rows, 11U);
  EXPECT_EQ(again.expected->nll.value, -0.1);
  EXPECT_EQ(again.expected->nll.standard_error, infinite);
  EXPECT_EQ(again.expected->outputs[0].rmse.value, 1.5);
  EXPECT_EQ(again.expected->outputs[0].rmse.standard_error, 0.25);
  EXPECT_EQ(again.expected->outputs[1].epistemic_std.value, 1e-300);
  EXPECT_EQ(encode_model(make_ensemble(again)), encode_model(make_ensemble(state)));
}

TEST(Formats, Version1IsStillWrittenAsItWas) {
  const std::string bytes = base::read_file(version_1);
  const std::string again = encode_model(decode_model(bytes));
  const SafetensorsReader old_file(bytes);
  const SafetensorsReader new_file(again);
  EXPECT_EQ(document_without_version(new_file).dump(), document_without_version(old_file).dump());
  const TensorMap old_tensors = old_file.tensors();
  const TensorMap new_tensors = new_file.tensors();
  ASSERT_EQ(new_tensors.size(), old_tensors.size());
  const auto offset = [](std::string_view tensor, const std::string& file) {
    return file.size() - static_cast<std::size_t>(tensor.data() - file.data());
  };
  for (const auto& [name, tensor] : old_tensors) {
    EXPECT_EQ(new_tensors.at(name).bytes, tensor.bytes) << name;
    EXPECT_EQ(offset(new_tensors.at(name).bytes, again), offset(tensor.bytes, bytes)) << name;
  }
}

TEST(Formats, Version1PredictsWhatItPredicted) {
  const Matrix inputs(2, 2, std::vector<double>{0.5, -1, 2, 0.25});
  const Predictive predictive = load(version_1).predict(inputs);
  const auto expect = [](const Matrix& moment, const std::vector<double>& recorded) {
    for (std::size_t i = 0; i < recorded.size(); ++i) {
      EXPECT_NEAR(moment.values()[i], recorded[i], 1e-5 * std::abs(recorded[i])) << i;
    }
  };
  expect(predictive.mean(), {-0.4745065446358989, -0.554767922805923, -1.7928606046131548, 0.2692937957733321});
  expect(predictive.aleatoric_variance(),
         {0.09627101285733611, 1.2105753567076132, 0.5485288874339127, 5.232923203752343});
  expect(predictive.epistemic_variance(),
         {0.7818439970813057, 9.28053022716497, 8.496934380684715, 197.83609840292434});
}

}  // namespace
}  // namespace credens::store
