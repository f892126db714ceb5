// SPDX-License-Identifier: Apache-2.0
//
// The structure of exported graphs and some constants; tests/onnx holds their numbers against `credens predict` in ONNX
// Runtime.

#include "store/onnx_export.hpp"

#include <gtest/gtest.h>
#include <credens/onnx.hpp>
#include <credens/version.hpp>

#include <cmath>
#include <set>

#include "base/file.hpp"
#include "store/onnx_graph.hpp"
#include "unit/store/example_ensembles.hpp"
#include "unit/store/onnx_reader.hpp"

namespace credens::store {
namespace {

ReadGraph exported(const Example& example) {
  return read_graph(encode_onnx(example_ensemble(example)));
}

/// A number that may be missing, words, a date and a number that was never missing.
std::vector<data::InputEncoding> mixed_columns() {
  return {{.flags_missing = true},
          {.kind = ColumnKind::category, .codes = {1, 2, 0, 2}, .learned = 2},
          {.kind = ColumnKind::date, .flags_missing = true, .cycles = {data::Cycle::week, data::Cycle::year}},
          {}};
}

Example with_columns(std::vector<data::InputEncoding> columns, Example example = {}) {
  example.inputs = columns.size();
  example.columns = std::move(columns);
  return example;
}

std::vector<Example> all_kinds() {
  std::vector<Example> kinds;
  for (const PosteriorKind posterior :
       {PosteriorKind::delta, PosteriorKind::isotropic, PosteriorKind::diagonal, PosteriorKind::full}) {
    for (const NoiseKind noise : {NoiseKind::shared, NoiseKind::per_output, NoiseKind::constant, NoiseKind::known}) {
      for (const bool random_bias : {false, true}) {
        kinds.push_back({.posterior = posterior,
                         .noise = noise,
                         .link = random_bias ? NoiseLink::exp : NoiseLink::softplus,
                         .random_bias = random_bias,
                         .outputs = 2,
                         .hidden = {{3}, {4, 3}, {}},
                         .activations = {Activation::relu, Activation::silu, Activation::tanh},
                         .members = {0, 1, 2, 3},
                         .total_members = 4,
                         .frequencies = {0, 2, 1},
                         .bent = random_bias});
        kinds.push_back(with_columns(mixed_columns(), kinds.back()));
        kinds.push_back(kinds.back());
        kinds.back().noise = NoiseKind::shared;
        kinds.back().classes = 3;
      }
    }
  }
  return kinds;
}

/// `known` are values of the graph around this one.
void check_values(const ReadGraph& graph, std::set<std::string>& known) {
  for (const std::string& input : graph.inputs) EXPECT_TRUE(known.insert(input).second) << input;
  for (const auto& [name, tensor] : graph.constants) EXPECT_TRUE(known.insert(name).second) << name;
  for (const OnnxNode& node : graph.nodes) {
    for (const std::string& input : node.inputs) EXPECT_TRUE(known.contains(input)) << input;
    for (const std::string& output : node.outputs) EXPECT_TRUE(known.insert(output).second) << output;
  }
  for (const std::string& output : graph.outputs) EXPECT_TRUE(known.contains(output)) << output;
}

TEST(OnnxExport, MakesEveryValueOnceAndBeforeItIsUsed) {
  for (const Example& example : all_kinds()) {
    const ReadGraph graph = exported(example);
    std::set<std::string> known;
    check_values(graph, known);
    for (const ReadGraph& body : graph.bodies) check_values(body, known);
  }
}

TEST(OnnxExport, HoldsAsManyBytesAsEachShapeSays) {
  const ReadGraph graph = exported({.outputs = 2, .hidden = {{3}}, .members = {0, 1}});
  ASSERT_EQ(graph.constants_called("layer").size(), 2U);
  for (const OnnxTensor& layer : graph.constants_called("layer")) {
    std::int64_t values = 1;
    for (const std::int64_t size : layer.shape) values *= size;
    EXPECT_EQ(layer.bytes.size(), static_cast<std::size_t>(values) * sizeof(float));
  }
}

TEST(OnnxExport, NamesInputsAndOutputsAsTheDesignDoes) {
  const std::vector<std::string> outputs = {"mean", "aleatoric_variance", "epistemic_variance", "total_variance"};
  const ReadGraph graph = exported({});
  EXPECT_EQ(graph.inputs, std::vector<std::string>{"inputs"});
  EXPECT_EQ(graph.outputs, outputs);
  EXPECT_GE(graph.operator_sets.at(""), 13);
  EXPECT_LE(graph.operator_sets.at(""), 17);
}

TEST(OnnxExport, TakesKnownNoiseAsAnInput) {
  const std::vector<std::string> both = {"inputs", "noise_std"};
  EXPECT_EQ(exported({.noise = NoiseKind::known}).inputs, both);
  model::EnsembleState state = example_state({});
  state.schema.has_noise = true;
  EXPECT_EQ(read_graph(encode_onnx(make_ensemble(state))).inputs, both);
}

TEST(OnnxExport, TakesWordsAsAnInputOfTexts) {
  const ReadGraph graph = exported(with_columns(mixed_columns(), {.noise = NoiseKind::known}));
  const std::vector<std::string> inputs = {"inputs", "categories", "noise_std"};
  const std::map<std::string, std::int64_t> operator_sets = {{"", 13}, {"ai.onnx.ml", 2}};
  EXPECT_EQ(graph.inputs, inputs);
  EXPECT_EQ(graph.operator_sets, operator_sets);
}

TEST(OnnxExport, LeavesOutInputsThatHaveNoColumns) {
  const ReadGraph words = exported(with_columns({{.kind = ColumnKind::category, .codes = {0, 1}, .learned = 2}}));
  EXPECT_EQ(words.inputs, std::vector<std::string>{"categories"});
  EXPECT_EQ(words.count("IsNaN"), 0U);
  const ReadGraph numbers = exported(with_columns({{.flags_missing = true}}));
  EXPECT_EQ(numbers.inputs, std::vector<std::string>{"inputs"});
  EXPECT_EQ(numbers.operator_sets.size(), 1U);
}

TEST(OnnxExport, LooksWordsUpByTheirCodes) {
  const ReadGraph graph = exported(with_columns(mixed_columns()));
  ASSERT_EQ(graph.labels.size(), 1U);
  EXPECT_EQ(graph.labels[0].keys, (std::vector<std::string>{"", "word0", "word1", "word2", "word3"}));
  EXPECT_EQ(graph.labels[0].values, (std::vector<std::int64_t>{3, 1, 2, 0, 2}));
  EXPECT_EQ(graph.labels[0].otherwise, 4);
}

TEST(OnnxExport, HoldsTheVectorsThatEachMemberLearned) {
  const model::EnsembleState state = example_state(with_columns(mixed_columns()));
  const ReadGraph graph = read_graph(encode_onnx(make_ensemble(state)));
  std::vector<float> expected;
  for (const model::Member& member : state.members) {
    expected.insert(expected.end(), member.network->tables().begin(), member.network->tables().end());
  }
  EXPECT_EQ(graph.constant_called("words").shape, (std::vector<std::int64_t>{2, 5, 4}));
  EXPECT_EQ(graph.constant_called("words").values<float>(), expected);
}

TEST(OnnxExport, TakesAMissingNumberForZeroWhereItHasAFlagElseForTheSubstituteOfTheMember) {
  const model::EnsembleState state = example_state(with_columns(mixed_columns()));
  const ReadGraph graph = read_graph(encode_onnx(make_ensemble(state)));
  std::vector<float> expected;
  for (const model::Member& member : state.members) {
    expected.insert(expected.end(), {0.0F, 0.0F, member.network->substitutes()[2]});
  }
  EXPECT_EQ(graph.constant_called("substitutes").shape, (std::vector<std::int64_t>{2, 1, 3}));
  EXPECT_EQ(graph.constant_called("substitutes").values<float>(), expected);
}

TEST(OnnxExport, KeepsTheOrderOfFlagsAndCycles) {
  constexpr double week = 7 * 86400;
  constexpr double year = 365.2425 * 86400;
  const double quarter = std::acos(0.0);
  const ReadGraph graph = exported(with_columns(mixed_columns()));
  EXPECT_EQ(graph.constant_called("number_of_flag").values<std::int64_t>(),
            (std::vector<std::int64_t>{0, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(graph.constant_called("is_flag").values<char>(), (std::vector<char>{1, 1, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(graph.constant_called("flag_if_missing").values<float>(),
            (std::vector<float>{1, 1, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(graph.constant_called("cycle_seconds").values<double>(),
            (std::vector<double>{1, 1, week, week, week, week, week, week, year, year}));
  EXPECT_EQ(graph.constant_called("cycle_waves").values<double>(), (std::vector<double>{1, 1, 1, 1, 2, 2, 3, 3, 1, 1}));
  EXPECT_EQ(graph.constant_called("cycle_start").values<double>(),
            (std::vector<double>{0, 0, 0, quarter, 0, quarter, 0, quarter, 0, quarter}));
}

TEST(OnnxExport, ScalesNumbersAndDatesOnly) {
  const ReadGraph graph = exported(with_columns(mixed_columns(), {.bent = true}));
  EXPECT_EQ(graph.constant_called("input_scale").values<double>(), (std::vector<double>{0.7, 0.7 + 2, 0.7 + 3}));
  EXPECT_EQ(graph.constant_called("input_is_bent").values<char>(), (std::vector<char>{0, 1, 1}));
}

TEST(OnnxExport, SaysInMetadataWhatEachColumnHolds) {
  const ReadGraph graph = exported(with_columns(mixed_columns()));
  EXPECT_EQ(graph.metadata.at("input_names"), R"(["x0","x2","x3"])");
  EXPECT_EQ(graph.metadata.at("input_kinds"), R"(["number","date","number"])");
  EXPECT_EQ(graph.metadata.at("category_names"), R"(["x1"])");
  EXPECT_EQ(graph.metadata.at("category_levels"), R"([["word0","word1","word2","word3"]])");
  EXPECT_FALSE(graph.metadata.at("dates").empty());
  EXPECT_EQ(graph.metadata.at("missing"), "NaN among inputs, an empty text among categories");
}

TEST(OnnxExport, TakesMissingNumbersWhereNoneWasMissingInTraining) {
  model::EnsembleState state = example_state({});
  std::vector<float> expected;
  for (model::Member& member : state.members) {
    const std::vector<float> substitutes = {0.5F, -1.0F - static_cast<float>(member.index)};
    model::Mlp network = *member.network;
    network.set_substitutes(substitutes);
    member.network = std::make_shared<const model::Mlp>(std::move(network));
    expected.insert(expected.end(), substitutes.begin(), substitutes.end());
  }
  const ReadGraph graph = read_graph(encode_onnx(make_ensemble(state)));
  EXPECT_EQ(graph.count("IsNaN"), 1U);
  EXPECT_EQ(graph.metadata.at("missing"), "NaN among inputs");
  EXPECT_EQ(graph.constant_called("substitutes").shape, (std::vector<std::int64_t>{2, 1, 2}));
  EXPECT_EQ(graph.constant_called("substitutes").values<float>(), expected);
}

// Models of format version 1 are such.
TEST(OnnxExport, AsksNothingMoreOfNetworksThatTakeNumbersAlone) {
  const ReadGraph graph = exported({.frequencies = {2}, .bent = true});
  EXPECT_EQ(graph.operator_sets.size(), 1U);
  EXPECT_EQ(graph.metadata.size(), 11U);
  EXPECT_EQ(graph.count("IsNaN") + graph.count("LabelEncoder"), 0U);
  EXPECT_TRUE(graph.constants_called("substitutes").empty());
}

TEST(OnnxExport, HasOneProductPerLayerAndGroupOfEqualShape) {
  const Example five_of_two_kinds{
      .posterior = PosteriorKind::delta, .hidden = {{4, 3}, {5}}, .members = {0, 1, 2, 3, 4}, .total_members = 5};
  EXPECT_EQ(exported(five_of_two_kinds).count("MatMul"), 3U + 2U);
  Example wide = five_of_two_kinds;
  wide.posterior = PosteriorKind::full;
  EXPECT_EQ(exported(wide).count("MatMul"), 3U + 2U + 2U * 2U);
}

TEST(OnnxExport, LeavesMembersOfWeightZeroOut) {
  const ReadGraph graph = exported({.members = {0, 1, 2}, .total_members = 3, .weights = {0.25, 0, 0.75}});
  const std::vector<std::int64_t> two = {2, 1, 1};
  ASSERT_EQ(graph.constants_called("member_weights").size(), 1U);
  EXPECT_EQ(graph.constants_called("member_weights").front().shape, two);
  EXPECT_EQ(graph.metadata.at("members"), "3");
}

TEST(OnnxExport, StoresOneFactorWhereOutputsShareIt) {
  const Example shared{.posterior = PosteriorKind::full, .outputs = 3};
  Example apart = shared;
  apart.noise = NoiseKind::per_output;
  const std::vector<std::int64_t> one_factor = {2, 4, 3};
  const std::vector<std::int64_t> three_factors = {2, 4, 9};
  EXPECT_EQ(exported(shared).constants_called("factors").front().shape, one_factor);
  EXPECT_EQ(exported(apart).constants_called("factors").front().shape, three_factors);
}

TEST(OnnxExport, SaysInMetadataWhatTheModelIs) {
  const ReadGraph graph = exported({.posterior = PosteriorKind::diagonal, .noise = NoiseKind::known});
  EXPECT_EQ(graph.metadata.at("input_names"), R"(["x0","x1"])");
  EXPECT_EQ(graph.metadata.at("output_names"), R"(["output \"0\" µ"])");
  EXPECT_EQ(graph.metadata.at("noise_names"), "[\"u(y)\"]");
  EXPECT_EQ(graph.metadata.at("posterior"), "diagonal");
  EXPECT_EQ(graph.metadata.at("noise"), "known");
  EXPECT_EQ(graph.metadata.at("lambda"), "0.1");
  EXPECT_EQ(graph.metadata.at("version"), version());
  EXPECT_FALSE(graph.metadata.at("units").empty());
}

TEST(OnnxExport, GivesClassesProbabilitiesAndEntropies) {
  const std::vector<std::string> outputs = {"probability", "class",     "entropy",
                                            "aleatoric",   "epistemic", "epistemic_variance"};
  const ReadGraph graph = exported({.classes = 3});
  EXPECT_EQ(graph.inputs, std::vector<std::string>{"inputs"});
  EXPECT_EQ(graph.outputs, outputs);
  EXPECT_EQ(graph.metadata.at("classes"), R"(["class 0","class 1","class 2"])");
  EXPECT_EQ(graph.metadata.at("output_names"), R"(["output \"0\" µ"])");
  EXPECT_EQ(graph.metadata.at("units"), "those of the training data; entropies in nats");
  EXPECT_EQ(graph.metadata.count("noise") + graph.metadata.count("noise_names"), 0U);
}

TEST(OnnxExport, CallsWhatCountsOfClassesMakeAsPredictDoes) {
  model::EnsembleState state = example_state({.classes = 2});
  state.schema.targets = {{.name = "a"}, {.name = "b"}};
  EXPECT_EQ(read_graph(encode_onnx(make_ensemble(state))).metadata.at("output_names"), R"(["y"])");
}

TEST(OnnxExport, StoresOneCovarianceForAllClasses) {
  const std::vector<std::int64_t> variances = {2, 4, 1};
  const std::vector<std::int64_t> factors = {2, 4, 3};
  const ReadGraph diagonal = exported({.posterior = PosteriorKind::diagonal, .classes = 5});
  EXPECT_EQ(diagonal.constant_called("variances").shape, variances);
  EXPECT_EQ(exported({.posterior = PosteriorKind::full, .classes = 5}).constant_called("factors").shape, factors);
}

TEST(OnnxExport, CallsInputsWithoutNamesByTheirColumns) {
  model::EnsembleState state = example_state({});
  state.schema.has_names = false;
  EXPECT_EQ(read_graph(encode_onnx(make_ensemble(state))).metadata.at("input_names"), R"(["1","2"])");
}

TEST(OnnxExport, GivesTheSameBytesForTheSameEnsemble) {
  EXPECT_EQ(encode_onnx(example_ensemble({})), encode_onnx(example_ensemble({})));
}

TEST(OnnxExport, WritesWhatItEncodes) {
  const TemporaryFolder folder;
  const Ensemble ensemble = example_ensemble({});
  export_onnx(ensemble, folder / "model.onnx");
  EXPECT_EQ(base::read_file(folder / "model.onnx"), encode_onnx(ensemble));
  EXPECT_EQ(thrown_by([&] { export_onnx(ensemble, folder / "absent" / "model.onnx"); }).code, ErrorCode::io);
}

TEST(OnnxExport, RefusesAnEnsembleWithoutNetworks) {
  const Thrown thrown = thrown_by([] { encode_onnx(example_ensemble({.networks = false})); });
  EXPECT_EQ(thrown.code, ErrorCode::usage);
  EXPECT_EQ(thrown.sentence,
            "this model has no networks: it predicts from the outputs of its members, not from inputs");
}

// The size is checked before the values are read, so that none need to exist.
TEST(OnnxGraph, RefusesMoreThanAFileCanHold) {
  OnnxGraph graph;
  const double one = 1;
  const std::size_t count = (largest_onnx_file + 1) / sizeof(double);
  const Thrown thrown = thrown_by(
      [&] { graph.constant("large", {static_cast<std::int64_t>(count)}, std::span<const double>(&one, count)); });
  EXPECT_EQ(thrown.code, ErrorCode::failure);
  EXPECT_EQ(thrown.sentence, "the graph needs more than 2147483647 bytes, which is all that an ONNX file can hold");
}

}  // namespace
}  // namespace credens::store
