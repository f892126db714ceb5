// SPDX-License-Identifier: Apache-2.0
//
// Model files whose checksum is right and whose content is not: each is refused with its own sentence.

#include "store/model_document.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <limits>

#include "store/model_file.hpp"
#include "unit/store/example_ensembles.hpp"

namespace credens::store {
namespace {

/// A file taken apart, to be changed and put together again.
struct Pieces {
  Json document;
  std::vector<Tensor> tensors;

  Tensor& tensor(std::string_view name) {
    return *std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& tensor) { return tensor.name == name; });
  }
  std::vector<float>& floats(std::string_view name) { return std::get<std::vector<float>>(tensor(name).values); }
  std::vector<double>& doubles(std::string_view name) { return std::get<std::vector<double>>(tensor(name).values); }
  void drop(std::string_view name) {
    std::erase_if(tensors, [&](const Tensor& tensor) { return tensor.name == name; });
  }
};

template <class T>
std::vector<T> values_of(const TensorView& view) {
  std::vector<T> values(view.bytes.size() / sizeof(T));
  std::memcpy(values.data(), view.bytes.data(), view.bytes.size());
  return values;
}

Pieces take_apart(const std::string& bytes) {
  const SafetensorsReader file(bytes);
  Pieces pieces{Json::parse(file.metadata(model_key).value()), {}};
  for (const auto& [name, view] : file.tensors()) {
    pieces.tensors.push_back({name, view.shape, {}});
    if (view.dtype == Dtype::f32) pieces.tensors.back().values = values_of<float>(view);
    if (view.dtype == Dtype::f64) pieces.tensors.back().values = values_of<double>(view);
  }
  return pieces;
}

std::string put_together(const Pieces& pieces) {
  return encode_safetensors({{std::string(model_key), pieces.document.dump()}}, pieces.tensors);
}

struct Spoiled {
  std::string name;
  std::function<void(Pieces&)> spoil;
  std::string sentence;
  Example example = {};
};

class SpoiledModel : public testing::TestWithParam<Spoiled> {};

TEST_P(SpoiledModel, IsRefusedWithItsSentence) {
  Pieces pieces = take_apart(encode_model(example_ensemble(GetParam().example)));
  ASSERT_NO_THROW(decode_model(put_together(pieces)));
  GetParam().spoil(pieces);
  const Thrown thrown = thrown_by([&] { decode_model(put_together(pieces)); });
  EXPECT_EQ(thrown.code, ErrorCode::model);
  EXPECT_EQ(thrown.sentence, GetParam().sentence);
}

const auto name_of_case = [](const auto& info) { return info.param.name; };

INSTANTIATE_TEST_SUITE_P(
    Document, SpoiledModel,
    testing::Values(
        Spoiled{"newer_format", [](Pieces& p) { p.document["format_version"] = 7; },
                "format version 7 is newer than this program's 2"},
        Spoiled{"format_zero", [](Pieces& p) { p.document["format_version"] = 0; },
                "format_version is \"0\", expected 1 or 2"},
        Spoiled{"format_as_text", [](Pieces& p) { p.document["format_version"] = "1"; },
                "format_version is \"\"1\"\", expected 1 or 2"},
        Spoiled{"no_format", [](Pieces& p) { p.document.erase("format_version"); }, "format_version is missing"},
        Spoiled{"a_list", [](Pieces& p) { p.document = Json::array(); }, "format_version is missing"},
        Spoiled{"deep", [](Pieces& p) { p.document["seed"] = Json::parse("[[[[[[[[0]]]]]]]]"); },
                "the document is nested deeper than 8 levels"},
        Spoiled{"unknown_key", [](Pieces& p) { p.document["weight"] = 1; },
                "unknown key \"weight\"; did you mean weights?"},
        Spoiled{"expectation_of_no_outputs",
                [](Pieces& p) {
                  p.document["expected"] = Json::parse(
                      R"({"rows": 3, "level": 0.9, "nll": {"value": 1, "standard_error": 0}, "outputs": []})");
                },
                "expected.outputs has 0 outputs, expected 1"},
        Spoiled{"expectation_level",
                [](Pieces& p) {
                  p.document["expected"] = Json::parse(
                      R"({"rows": 3, "level": 2, "nll": {"value": 1, "standard_error": 0}, "outputs": []})");
                },
                "expected.level is 2, expected a number between 0 and 1"},
        Spoiled{"expectation_error",
                [](Pieces& p) {
                  p.document["expected"] = Json::parse(
                      R"({"rows": 3, "level": 0.9, "nll": {"value": 1, "standard_error": -1}, "outputs": []})");
                },
                "expected.nll.standard_error is -1, expected a number that is not negative"},
        Spoiled{"row_hashes", [](Pieces& p) { p.document["row_hashes"] = {-1}; },
                "row_hashes[0] is a negative whole number, expected a whole number that is not negative"},
        Spoiled{"no_targets", [](Pieces& p) { p.document.erase("targets"); }, "targets is missing"},
        Spoiled{"no_outputs", [](Pieces& p) { p.document["targets"]["shift"] = Json::array(); },
                "targets.shift is empty, expected one number per output"},
        Spoiled{"negative_seed", [](Pieces& p) { p.document["seed"] = -1; },
                "seed is a negative whole number, expected a whole number that is not negative"},
        Spoiled{"option_list",
                [](Pieces& p) {
                  p.document["options"]["epochs"] = {1, 2};
                },
                "options.epochs is not true, false, text or a number of 64 bits"},
        Spoiled{"option_too_large", [](Pieces& p) { p.document["options"]["epochs"] = 1ULL << 63; },
                "options.epochs is not true, false, text or a number of 64 bits"},
        Spoiled{"options_missing", [](Pieces& p) { p.document["options"] = 1; }, "options is not an object"},
        Spoiled{"unknown_posterior", [](Pieces& p) { p.document["posterior"]["kind"] = "laplace"; },
                "posterior.kind \"laplace\" is unknown, expected one of delta, isotropic, diagonal, full"},
        Spoiled{"unknown_noise", [](Pieces& p) { p.document["noise"]["kind"] = "pink"; },
                "noise.kind \"pink\" is unknown, expected one of shared, per-output, constant, known"},
        Spoiled{"lambda_null", [](Pieces& p) { p.document["posterior"]["lambda"] = nullptr; },
                "posterior.lambda is null, expected a number"},
        Spoiled{"negative_lambda", [](Pieces& p) { p.document["posterior"]["lambda"] = -1; },
                "lambda is -1, expected a finite number that is not negative"},
        Spoiled{"fingerprint", [](Pieces& p) { p.document["data"]["fingerprint"] = "xyz"; },
                "the fingerprint of the data is \"xyz\", expected 32 hexadecimal digits or nothing"},
        Spoiled{"name_with_escape", [](Pieces& p) { p.document["targets"]["names"][0] = "\x1b[2J"; },
                "the target name \"\\x1b[2J\" is not UTF-8 text on one line"},
        Spoiled{"option_with_escape", [](Pieces& p) { p.document["options"]["schedule"] = "\x1b[2J"; },
                "the option schedule = \"\\x1b[2J\" is not UTF-8 text on one line"},
        Spoiled{"version_with_escape", [](Pieces& p) { p.document["version"] = "\x1b[2J"; },
                "the version \"\\x1b[2J\" is not UTF-8 text on one line"},
        Spoiled{"too_few_input_names", [](Pieces& p) { p.document["inputs"]["names"] = {"a"}; }, "1 name for 2 inputs"},
        Spoiled{"too_few_input_columns", [](Pieces& p) { p.document["inputs"]["columns"] = {0}; },
                "inputs.columns has 1 positions, expected 2"},
        Spoiled{"no_input_columns", [](Pieces& p) { p.document["inputs"]["columns"] = Json::array(); },
                "inputs.columns has 0 positions, expected 2"},
        Spoiled{"input_beyond_the_table",
                [](Pieces& p) {
                  p.document["inputs"]["columns"] = {0, 7};
                },
                "an input is column 7 of a table of 4"},
        Spoiled{"too_many_target_names",
                [](Pieces& p) {
                  p.document["targets"]["names"] = {"a", "b"};
                },
                "targets.names has 2 names, expected 1"},
        Spoiled{"too_many_target_columns",
                [](Pieces& p) {
                  p.document["targets"]["columns"] = {0, 1};
                },
                "2 positions for 1 output"},
        Spoiled{"zero_scale", [](Pieces& p) { p.document["inputs"]["scale"][1] = 0; },
                "the scaler of the inputs has the scale 0, expected a finite number above 0"},
        Spoiled{"width_without_centre",
                [](Pieces& p) { p.document["inputs"].erase("centre"); },
                "the scaler of 2 inputs has 0 centres and 2 widths, expected none or one of each for every input",
                {.bent = true}},
        Spoiled{"negative_input_width",
                [](Pieces& p) { p.document["inputs"]["width"][1] = -1; },
                "the scaler of the inputs has the width -1, expected a finite number that is not negative",
                {.bent = true}},
        Spoiled{"centre_null",
                [](Pieces& p) { p.document["inputs"]["centre"][1] = nullptr; },
                "inputs.centre[1] is null, expected a number",
                {.bent = true}},
        Spoiled{"bent_targets", [](Pieces& p) { p.document["targets"]["width"] = {1}; },
                "unknown key \"targets.width\""},
        Spoiled{"column_out_of_range", [](Pieces& p) { p.document["inputs"]["columns"][1] = 4; },
                "an input is column 4 of a table of 4"},
        Spoiled{"too_few_names", [](Pieces& p) { p.document["inputs"]["names"] = {"x"}; }, "1 name for 2 inputs"}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    Members, SpoiledModel,
    testing::Values(Spoiled{"none", [](Pieces& p) { p.document["members"] = Json::array(); },
                            "members is empty, expected at least one"},
                    Spoiled{"absurdly_many", [](Pieces& p) { p.document["total_members"] = 4'000'000'000U; },
                            "an ensemble has 4000000000 members, at most 100000 are expected"},
                    Spoiled{"fewer_than_there_are", [](Pieces& p) { p.document["total_members"] = 1; },
                            "an ensemble of 1 members holds 2"},
                    Spoiled{"weights_do_not_add_up",
                            [](Pieces& p) {
                              p.document["weights"] = {0.5, 0.6};
                            },
                            "the weights of the members have the sum 1.1, expected 1"},
                    Spoiled{"negative_weight",
                            [](Pieces& p) {
                              p.document["weights"] = {1.5, -0.5};
                            },
                            "a member's weight is 1.5, expected a number from 0 to 1"},
                    Spoiled{"too_few_weights", [](Pieces& p) { p.document["weights"] = {1.0}; },
                            "an ensemble of 2 members has 1 weights"},
                    Spoiled{"weight_null", [](Pieces& p) { p.document["weights"][0] = nullptr; },
                            "weights[0] is null, expected a number"},
                    Spoiled{"same_index", [](Pieces& p) { p.document["members"][1]["index"] = 0; },
                            "members[1].index is 0, expected more than in the member before"},
                    Spoiled{"negative_gamma", [](Pieces& p) { p.document["members"][0]["gamma"] = -0.5; },
                            "gamma of member 0 is -0.5, expected a finite number that is not negative"},
                    Spoiled{"gamma_null", [](Pieces& p) { p.document["members"][0]["gamma"] = nullptr; },
                            "members[0].gamma is null, expected a number"},
                    Spoiled{"unknown_activation", [](Pieces& p) { p.document["members"][0]["activation"] = "cube"; },
                            "members[0].activation \"cube\" is unknown, expected one of relu, tanh, silu, gelu, elu"},
                    Spoiled{"hidden_null", [](Pieces& p) { p.document["members"][0]["hidden"] = nullptr; },
                            "members[0].hidden is null, expected a list"},
                    Spoiled{"frequencies_null", [](Pieces& p) { p.document["members"][0]["frequencies"] = nullptr; },
                            "members[0].frequencies is null, expected a whole number that is not negative"},
                    Spoiled{"frequencies_missing", [](Pieces& p) { p.document["members"][0].erase("frequencies"); },
                            "members[0].frequencies is missing"},
                    Spoiled{"frequencies_without_a_tensor",
                            [](Pieces& p) { p.document["members"][0]["frequencies"] = 2; },
                            "tensor members.0.frequencies is missing"},
                    Spoiled{"absurdly_many_frequencies",
                            [](Pieces& p) { p.document["members"][0]["frequencies"] = 1ULL << 63; },
                            "tensor members.0.frequencies is F32 [2, 3], expected F32 [2, 9223372036854775808]",
                            {.frequencies = {3}}},
                    Spoiled{"other_frequencies",
                            [](Pieces& p) { p.document["members"][0]["frequencies"] = 4; },
                            "tensor members.0.frequencies is F32 [2, 3], expected F32 [2, 4]",
                            {.frequencies = {3}}},
                    Spoiled{"no_frequencies",
                            [](Pieces& p) { p.document["members"][0]["frequencies"] = 0; },
                            "tensor members.0.layers.0.weight is F32 [3, 14], expected F32 [3, 2]",
                            {.frequencies = {3}}},
                    Spoiled{"frequencies_without_networks",
                            [](Pieces& p) { p.document["members"][1]["frequencies"] = 0; },
                            "members[1].frequencies is given, expected null because the model has no inputs",
                            {.networks = false}},
                    Spoiled{"no_width", [](Pieces& p) { p.document["members"][0]["hidden"] = {0}; },
                            "members[0].hidden is 0, expected a width from 1 to 1099511627776"},
                    Spoiled{"absurd_width", [](Pieces& p) { p.document["members"][0]["hidden"] = {1ULL << 41}; },
                            "members[0].hidden is 2199023255552, expected a width from 1 to 1099511627776"},
                    Spoiled{"other_width", [](Pieces& p) { p.document["members"][0]["hidden"] = {4}; },
                            "tensor members.0.layers.0.weight is F32 [3, 2], expected F32 [4, 2]"},
                    Spoiled{"other_features", [](Pieces& p) { p.document["members"][0]["features"] = 4; },
                            "member 0 has 4 features but its network 3"},
                    Spoiled{"left_out", [](Pieces& p) { p.document["members"].erase(1); },
                            "tensor \"members.1.layers.0.bias\" belongs to no member"},
                    Spoiled{"one_layer_too_many",
                            [](Pieces& p) {
                              p.document["members"][0]["hidden"] = {3, 3};
                            },
                            "tensor members.0.layers.1.weight is missing"}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    Tensors, SpoiledModel,
    testing::Values(
        Spoiled{"missing", [](Pieces& p) { p.drop("members.1.mean.bias"); }, "tensor members.1.mean.bias is missing"},
        Spoiled{"one_too_many",
                [](Pieces& p) {
                  p.tensors.push_back({"surprise", {1}, std::vector<float>{0}});
                },
                "tensor \"surprise\" belongs to no member"},
        Spoiled{"other_type", [](Pieces& p) { p.tensor("members.1.mean.bias").values = std::vector<double>{0}; },
                "tensor members.1.mean.bias is F64 [1], expected F32 [1]"},
        Spoiled{"flattened", [](Pieces& p) { p.tensor("members.0.layers.0.weight").shape = {6}; },
                "tensor members.0.layers.0.weight is F32 [6], expected F32 [3, 2]"},
        Spoiled{"weight_not_a_number", [](Pieces& p) { p.floats("members.0.layers.0.weight")[4] = std::nanf(""); },
                "member 0 has a parameter that is not finite"},
        Spoiled{"bias_infinite",
                [](Pieces& p) { p.floats("members.1.noise.bias")[0] = std::numeric_limits<float>::infinity(); },
                "member 1 has a parameter that is not finite"},
        Spoiled{"frequencies_missing",
                [](Pieces& p) { p.drop("members.1.frequencies"); },
                "tensor members.1.frequencies is missing",
                {.frequencies = {2}}},
        Spoiled{"frequencies_flattened",
                [](Pieces& p) { p.tensor("members.1.frequencies").shape = {4}; },
                "tensor members.1.frequencies is F32 [4], expected F32 [2, 2]",
                {.frequencies = {2}}},
        Spoiled{"frequencies_of_nobody",
                [](Pieces& p) {
                  p.tensors.push_back({"members.0.frequencies", {2, 1}, std::vector<float>{0, 0}});
                },
                "tensor \"members.0.frequencies\" belongs to no member"},
        Spoiled{"frequency_infinite",
                [](Pieces& p) { p.floats("members.1.frequencies")[3] = std::numeric_limits<float>::infinity(); },
                "member 1 has a parameter that is not finite",
                {.frequencies = {2}}},
        Spoiled{"negative_variance",
                [](Pieces& p) { p.doubles("members.1.posterior.variance")[2] = -1e-9; },
                "the posterior variance of member 1 has a value that is negative or not finite",
                {.posterior = PosteriorKind::diagonal}},
        Spoiled{"variance_missing",
                [](Pieces& p) { p.drop("members.0.posterior.variance"); },
                "tensor members.0.posterior.variance is missing",
                {.posterior = PosteriorKind::diagonal}},
        Spoiled{"factor_not_a_number",
                [](Pieces& p) { p.doubles("members.0.posterior.factor")[1] = std::nan(""); },
                "a posterior factor of member 0 is not finite",
                {.posterior = PosteriorKind::full}},
        Spoiled{"factor_below_the_diagonal",
                [](Pieces& p) { p.doubles("members.0.posterior.factor")[3] = 1; },
                "a posterior factor of member 0 is not upper triangular",
                {.posterior = PosteriorKind::full}},
        Spoiled{"factors_without_bias",
                [](Pieces& p) { p.document["posterior"]["random_bias"] = true; },
                "tensor members.0.posterior.factor is F64 [1, 3, 3], expected F64 [1, 4, 4]",
                {.posterior = PosteriorKind::full}},
        Spoiled{"factor_count",
                [](Pieces& p) {
                  p.document["members"][0]["hidden"] = {1};
                  p.document["members"][0]["features"] = 1;
                  p.tensor("members.0.posterior.factor").shape = {9, 1, 1};
                },
                "tensor members.0.posterior.factor is F64 [9, 1, 1], expected F64 [1, 1, 1]",
                {.posterior = PosteriorKind::full}},
        Spoiled{"constant_noise_missing",
                [](Pieces& p) { p.drop("members.0.noise.raw"); },
                "tensor members.0.noise.raw is missing",
                {.noise = NoiseKind::constant}},
        Spoiled{"known_noise_unknown",
                [](Pieces& p) { p.document["noise"]["known"] = false; },
                "member 0 takes its noise from the data, but the ensemble has none",
                {.noise = NoiseKind::known}},
        Spoiled{"networks_without_inputs",
                [](Pieces& p) { p.document["members"][0]["hidden"] = {3}; },
                "members[0].hidden is given, expected null because the model has no inputs",
                {.networks = false}},
        Spoiled{"noise_without_inputs",
                [](Pieces& p) { p.document["noise"]["kind"] = "shared"; },
                "noise.kind is given, expected null because the model has no inputs",
                {.networks = false}}),
    name_of_case);

TEST(ModelDocument, IsAskedForByName) {
  const std::string foreign = encode_safetensors({{"format", "pt"}}, {});
  EXPECT_EQ(thrown_by([&] { decode_model(foreign); }).sentence, "not a Credens model: its metadata has no key credens");
  const std::string member = encode_safetensors({{std::string(member_key), "{}"}}, {});
  EXPECT_EQ(thrown_by([&] { decode_model(member); }).sentence, "it holds one member of a checkpoint, expected a model");
}

TEST(ModelDocument, RefusesRepeatedKeys) {
  Pieces pieces = take_apart(encode_model(example_ensemble({})));
  std::string text = pieces.document.dump();
  text.insert(1, R"("seed":0,)");
  const std::string bytes = encode_safetensors({{std::string(model_key), text}}, pieces.tensors);
  EXPECT_EQ(thrown_by([&] { decode_model(bytes); }).sentence, "the document repeats the key \"seed\"");
}

TEST(ModelDocument, SaysNewerFormatBeforeAnythingItMayHaveChanged) {
  const std::string header = R"({"__metadata__":{"credens":"{\"format_version\":3}"},"t":{"dtype":"FP4"}})";
  std::string bytes(8, '\0');
  const std::uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, 8);
  EXPECT_EQ(thrown_by([&] { decode_model(bytes + header); }).sentence,
            "format version 3 is newer than this program's 2");
}

TEST(ModelDocument, HoldsNothingThatDoesNotDetermineTheResult) {
  const Json document = to_document(example_state({}));
  std::vector<std::string> keys;
  for (const auto& [key, value] : document.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"format_version", "version", "options", "seed", "data", "inputs", "targets",
                                            "noise", "posterior", "total_members", "members", "weights"}));
}

TEST(ModelDocument, WritesNullForABoundThatIsNotFinite) {
  model::EnsembleState state = example_state({});
  state.members[0].posterior.elbo.full = -std::numeric_limits<double>::infinity();
  const Ensemble again = decode_model(encode_model(make_ensemble(std::move(state))));
  EXPECT_FALSE(again.state().members[0].posterior.elbo.full.has_value());
}

}  // namespace
}  // namespace credens::store
