// SPDX-License-Identifier: Apache-2.0

#include "store/model_file.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <credens/store.hpp>

#include <cmath>
#include <fstream>

#include "base/file.hpp"
#include "model/names.hpp"
#include "store/safetensors.hpp"
#include "support/edit_network.hpp"
#include "support/effort.hpp"
#include "unit/store/example_ensembles.hpp"

namespace credens::store {
namespace {

/// Bytes, state and predictions survive the way through a file.
void expect_round_trip(const Ensemble& ensemble) {
  const std::string bytes = encode_model(ensemble);
  const Ensemble again = decode_model(bytes);
  expect_same_state(again.state(), ensemble.state());
  EXPECT_TRUE(encode_model(again) == bytes);
}

MixtureComponents components(const Ensemble& ensemble) {
  const Matrix inputs = example_inputs(5, ensemble.inputs());
  const Matrix noise_std(5, ensemble.outputs(), 0.5);
  const MatrixView known = ensemble.state().schema.has_noise ? noise_std.view() : MatrixView();
  return ensemble.predict(inputs, {.noise_std = known, .threads = 1}).components();
}

void expect_same_predictions(const Ensemble& ensemble) {
  const MixtureComponents a = components(ensemble);
  const MixtureComponents b = components(decode_model(encode_model(ensemble)));
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.aleatoric_variance, b.aleatoric_variance);
  EXPECT_EQ(a.epistemic_variance, b.epistemic_variance);
}

const PosteriorKind rungs[] = {PosteriorKind::delta, PosteriorKind::isotropic, PosteriorKind::diagonal,
                               PosteriorKind::full};
const NoiseKind noises[] = {NoiseKind::shared, NoiseKind::per_output, NoiseKind::constant, NoiseKind::known};

TEST(ModelFile, KeepsEveryRungNoiseDepthAndNumberOfOutputs) {
  for (const PosteriorKind posterior : rungs) {
    for (const NoiseKind noise : noises) {
      for (const std::vector<std::size_t>& hidden :
           std::vector<std::vector<std::size_t>>{{}, {3}, {17, 5}, {4, 3, 2, 1}}) {
        for (const std::size_t outputs : {1, 3}) {
          SCOPED_TRACE(
              fmt::format("{} {} {} {}", base::name_of(posterior), base::name_of(noise), hidden.size(), outputs));
          const Ensemble ensemble =
              example_ensemble({.posterior = posterior, .noise = noise, .outputs = outputs, .hidden = {hidden}});
          expect_round_trip(ensemble);
          expect_same_predictions(ensemble);
        }
      }
    }
  }
}

TEST(ModelFile, KeepsMembersOfDifferentShapesAndWeights) {
  const Ensemble ensemble =
      example_ensemble({.posterior = PosteriorKind::full,
                        .link = NoiseLink::exp,
                        .random_bias = true,
                        .hidden = {{4}, {}, {2, 7}},
                        .activations = {Activation::gelu, Activation::silu, Activation::elu, Activation::tanh},
                        .members = {0, 1, 2, 3},
                        .total_members = 4,
                        .weights = {0.1, 0.2, 0.3, 0.4},
                        .frequencies = {0, 3, 1},
                        .bent = true,
                        .bounded = true});
  expect_round_trip(ensemble);
  expect_same_predictions(ensemble);
}

TEST(ModelFile, KeepsARandomBiasOnEveryRung) {
  for (const PosteriorKind posterior : rungs) {
    expect_round_trip(example_ensemble({.posterior = posterior, .random_bias = true, .outputs = 2}));
  }
}

TEST(ModelFile, KeepsEnsemblesWithoutNetworks) {
  for (const PosteriorKind posterior : rungs) {
    SCOPED_TRACE(base::name_of(posterior));
    expect_round_trip(
        example_ensemble({.posterior = posterior, .networks = false, .outputs = 2, .hidden = {{3}, {5}}}));
  }
}

TEST(ModelFile, KeepsPartsOfAnEnsemble) {
  expect_round_trip(example_ensemble({.members = {3, 8, 99'999}, .total_members = 100'000}));
}

TEST(ModelFile, KeepsAnEnsembleWithoutInputNames) {
  model::EnsembleState state = example_state({});
  for (data::Column& input : state.schema.inputs) input.name.clear();
  state.schema.has_names = false;
  expect_round_trip(make_ensemble(std::move(state)));
}

RC_GTEST_PROP(ModelFile, KeepsAnyShape, ()) {
  Example example;
  example.posterior = *rc::gen::elementOf(std::vector<PosteriorKind>(std::begin(rungs), std::end(rungs)));
  example.noise = *rc::gen::elementOf(std::vector<NoiseKind>(std::begin(noises), std::end(noises)));
  example.random_bias = *rc::gen::arbitrary<bool>();
  example.inputs = *rc::gen::inRange<std::size_t>(1, 40);
  example.outputs = *rc::gen::inRange<std::size_t>(1, 5);
  example.hidden = {*rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(1, 35))};
  example.frequencies = {*rc::gen::inRange<std::size_t>(0, 5)};
  example.bent = *rc::gen::arbitrary<bool>();
  example.bounded = *rc::gen::arbitrary<bool>();
  example.seed = *rc::gen::arbitrary<std::uint64_t>();
  const Ensemble ensemble = example_ensemble(example);
  const std::string bytes = encode_model(ensemble);
  RC_ASSERT(encode_model(decode_model(bytes)) == bytes);
}

TEST(ModelFile, HasTheSameBytesForTheSameEnsemble) {
  const Example example{.posterior = PosteriorKind::diagonal, .outputs = 2};
  EXPECT_TRUE(encode_model(example_ensemble(example)) == encode_model(example_ensemble(example)));
}

TEST(ModelFile, AlignsEveryTensorToItsType) {
  const std::string bytes = encode_model(example_ensemble({.posterior = PosteriorKind::full, .hidden = {{3}, {5}}}));
  for (const auto& [name, tensor] : SafetensorsReader(bytes).tensors()) {
    const auto offset = static_cast<std::size_t>(tensor.bytes.data() - bytes.data());
    EXPECT_EQ(offset % (tensor.dtype == Dtype::f64 ? 8 : 4), 0U) << name;
  }
}

TEST(ModelFile, SavesAndLoadsThroughADisk) {
  const TemporaryFolder folder;
  const Ensemble ensemble = example_ensemble({});
  save(example_ensemble({.outputs = 3}), folder / "model");
  save(ensemble, folder / "model");
  expect_same_state(load(folder / "model").state(), ensemble.state());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(ModelFile, RefusesEveryTruncation) {
  const std::string bytes = encode_model(example_ensemble({.posterior = PosteriorKind::diagonal, .frequencies = {2}}));
  for (std::size_t size = 0; size < bytes.size(); size += test::stride_of_cases(31)) {
    const Thrown thrown = thrown_by([&] { decode_model(std::string_view(bytes).substr(0, size)); });
    ASSERT_EQ(thrown.code, ErrorCode::model) << size;
    ASSERT_TRUE(thrown.sentence.starts_with("truncated: ") || size == 0) << size << ": " << thrown.sentence;
  }
}

TEST(ModelFile, RefusesEveryBitFlip) {
  std::string bytes = encode_model(
      example_ensemble({.posterior = PosteriorKind::diagonal, .members = {0}, .total_members = 1, .frequencies = {1}}));
  for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += test::stride_of_cases(97)) {
    const auto flip = static_cast<char>(1U << (bit % 8));
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ flip);
    ASSERT_EQ(thrown_by([&] { decode_model(bytes); }).code, ErrorCode::model) << bit;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ flip);
  }
  EXPECT_NO_THROW(decode_model(bytes));
}

TEST(ModelFile, SaysWhatCannotBeRead) {
  const TemporaryFolder folder;
  const auto refusal = [](const std::filesystem::path& path) { return thrown_by([&] { load(path); }); };
  EXPECT_EQ(refusal(folder / "absent").code, ErrorCode::io);
  EXPECT_EQ(refusal(folder.path()).code, ErrorCode::io);
  EXPECT_EQ(refusal("/dev/zero").code, ErrorCode::io);

  std::ofstream(folder / "empty").close();
  EXPECT_EQ(refusal(folder / "empty").code, ErrorCode::model);
  EXPECT_EQ(refusal(folder / "empty").sentence,
            (folder / "empty").string() + ": the file is empty, expected a safetensors file");
}

TEST(ModelFile, RefusesAHugeFileWithoutReadingIt) {
  const TemporaryFolder folder;
  std::ofstream(folder / "huge").close();
  std::filesystem::resize_file(folder / "huge", std::uintmax_t{1} << 40);
  EXPECT_EQ(thrown_by([&] { load(folder / "huge"); }).code, ErrorCode::model);
}

TEST(ModelFile, SaysWhereItCannotBeWritten) {
  const TemporaryFolder folder;
  const Ensemble ensemble = example_ensemble({});
  EXPECT_EQ(thrown_by([&] { save(ensemble, folder.path()); }).code, ErrorCode::io);
  EXPECT_EQ(thrown_by([&] { save(ensemble, folder / "no" / "model"); }).code, ErrorCode::io);
  EXPECT_EQ(thrown_by([&] { save(ensemble, "/dev/full"); }).code, ErrorCode::io);
}

TEST(ModelFile, IsNotWrittenFromAnEnsembleThatCouldNotBeRead) {
  const auto refusal = [](const std::function<void(model::EnsembleState&)>& spoil) {
    model::EnsembleState state = example_state({.outputs = 2});
    spoil(state);
    const Thrown thrown = thrown_by([&] { encode_model(make_ensemble(std::move(state))); });
    EXPECT_EQ(thrown.code, ErrorCode::model);
    return thrown.sentence;
  };
  EXPECT_EQ(refusal([](auto& state) { state.schema.targets[1].name = "\xb5g"; }),
            "the target name \"\\xb5g\" is not UTF-8 text on one line");
  EXPECT_EQ(refusal([](auto& state) { state.schema.inputs[0].name = "a\nb"; }),
            "the input name \"a\\x0ab\" is not UTF-8 text on one line");
  EXPECT_EQ(refusal([](auto& state) { state.data.fingerprint = "ABC"; }),
            "the fingerprint of the data is \"ABC\", expected 32 hexadecimal digits or nothing");
  EXPECT_EQ(refusal([](auto& state) { state.options[5].second = std::string("\xff"); }),
            "the option schedule = \"\\xff\" is not UTF-8 text on one line");
  EXPECT_EQ(refusal([](auto& state) { state.options[2].second = INFINITY; }),
            "the option learning_rate is inf, expected a finite number");
  EXPECT_EQ(refusal([](auto& state) { state.members[1].posterior.random_bias = true; }),
            "member 1 differs from the first in having a random bias, expected all or none");
  EXPECT_NE(refusal([](auto& state) {
              test::edit_network(state.members[1], [](model::Mlp& network) { network.layer(0)[0] = std::nanf(""); });
            }),
            "");
}

}  // namespace
}  // namespace credens::store
