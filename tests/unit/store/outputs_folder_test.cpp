// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <credens/store.hpp>

#include <cmath>
#include <fstream>

#include "base/file.hpp"
#include "data/npy.hpp"
#include "support/read_npy.hpp"
#include "unit/store/example_ensembles.hpp"

namespace credens::store {
namespace {

namespace fs = std::filesystem;

MemberOutputs example_outputs(const Example& example = {.outputs = 2}) {
  const Ensemble ensemble = example_ensemble(example);
  return ensemble.member_outputs(example_inputs(6, ensemble.inputs()));
}

void expect_same(const MemberOutputs& a, const MemberOutputs& b) {
  EXPECT_EQ(a.features, b.features);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.variance, b.variance);
  EXPECT_EQ(a.targets, b.targets);
  EXPECT_EQ(a.last_layer, b.last_layer);
  EXPECT_EQ(a.row_weights, b.row_weights);
  EXPECT_EQ(a.member_weights, b.member_weights);
  EXPECT_EQ(a.target_scale, b.target_scale);
  EXPECT_EQ(a.target_shift, b.target_shift);
  EXPECT_EQ(a.target_names, b.target_names);
}

class OutputsFolderTest : public testing::Test {
 protected:
  void save_example(const MemberOutputs& outputs) { save_outputs({outputs, 0.1}, folder_); }

  void replace(const std::string& name, std::vector<std::size_t> shape, std::vector<double> values) {
    data::write_npy(folder_ / name, {std::move(shape), std::move(values)});
  }

  void replace_json(std::string_view text) { base::write_file(folder_ / "outputs.json", text); }

  /// The sentence without the folder in front.
  std::string refusal(ErrorCode code = ErrorCode::data) {
    const Thrown thrown = thrown_by([&] { load_outputs(folder_); });
    EXPECT_EQ(thrown.code, code);
    const std::string start = folder_.string() + "/";
    EXPECT_TRUE(thrown.sentence.starts_with(start)) << thrown.sentence;
    return thrown.sentence.substr(std::min(start.size(), thrown.sentence.size()));
  }

  TemporaryFolder root_;
  fs::path folder_ = root_ / "outputs";
};

TEST_F(OutputsFolderTest, WaitsForNoPipe) {
  for (const char* name : {"outputs.json", "features.npy", "mean.npy", "variance.npy", "targets.npy", "weights.npy"}) {
    save_example(example_outputs());
    fs::remove(folder_ / name);
    ASSERT_EQ(::mkfifo((folder_ / name).c_str(), 0600), 0);
    EXPECT_EQ(refusal(ErrorCode::io), std::string(name) + ": is a pipe, expected a file, or - for standard input");
    fs::remove_all(folder_);
  }
}

TEST_F(OutputsFolderTest, TakesNoLostLinkForNothing) {
  save_example(example_outputs());
  fs::remove(folder_ / "weights.npy");
  fs::create_symlink("absent", folder_ / "weights.npy");
  EXPECT_EQ(refusal(ErrorCode::io), "weights.npy: cannot open: no such file or folder");
}

TEST_F(OutputsFolderTest, TakesNoEndlessDocument) {
  save_example(example_outputs());
  replace_json(std::string((std::size_t{64} << 20) + 1, ' '));
  EXPECT_EQ(refusal(ErrorCode::io), "outputs.json: cannot read: larger than is allowed");
}

TEST_F(OutputsFolderTest, ReadsBackWhatItWrote) {
  MemberOutputs outputs = example_outputs();
  outputs.targets = Matrix(6, 2, 0.25);
  outputs.row_weights = {1, 2, 0, 0.5, 1, 1};
  outputs.member_weights = {0.25, 0.75};
  save_example(outputs);
  const OutputsFolder again = load_outputs(folder_);
  expect_same(again.outputs, outputs);
  EXPECT_EQ(again.prior_precision, 0.1);
}

TEST_F(OutputsFolderTest, WritesTheArraysOfTheContract) {
  MemberOutputs outputs = example_outputs();
  outputs.targets = Matrix(6, 2, 0.25);
  save_example(outputs);
  EXPECT_EQ(test::read_npy(folder_ / "features.npy").shape, (std::vector<std::size_t>{2, 6, 3}));
  EXPECT_EQ(test::read_npy(folder_ / "mean.npy").shape, (std::vector<std::size_t>{2, 6, 2}));
  EXPECT_EQ(test::read_npy(folder_ / "variance.npy").shape, (std::vector<std::size_t>{2, 6, 2}));
  EXPECT_EQ(test::read_npy(folder_ / "weights.npy").shape, (std::vector<std::size_t>{2, 2, 3}));
  EXPECT_EQ(test::read_npy(folder_ / "targets.npy").shape, (std::vector<std::size_t>{6, 2}));
  EXPECT_FALSE(fs::exists(folder_ / "row_weights.npy"));
}

TEST_F(OutputsFolderTest, GivesMembersThatDifferInFeaturesFilesOfTheirOwn) {
  const MemberOutputs outputs = example_outputs({.hidden = {{3}, {5}}});
  save_example(outputs);
  EXPECT_EQ(test::read_npy(folder_ / "features.1.npy").shape, (std::vector<std::size_t>{6, 5}));
  EXPECT_EQ(test::read_npy(folder_ / "weights.1.npy").shape, (std::vector<std::size_t>{1, 5}));
  EXPECT_FALSE(fs::exists(folder_ / "features.npy"));
  expect_same(load_outputs(folder_).outputs, outputs);
}

TEST_F(OutputsFolderTest, KeepsSharedVarianceAsOneColumn) {
  MemberOutputs outputs = example_outputs();
  for (Matrix& variance : outputs.variance) variance = Matrix(6, 1, 0.5);
  save_example(outputs);
  EXPECT_EQ(test::read_npy(folder_ / "variance.npy").shape, (std::vector<std::size_t>{2, 6, 1}));
  expect_same(load_outputs(folder_).outputs, outputs);

  outputs.variance[1] = Matrix(6, 2, 0.25);
  save_example(outputs);
  EXPECT_EQ(load_outputs(folder_).outputs.variance[0], Matrix(6, 2, 0.5));
}

TEST_F(OutputsFolderTest, NeedsLambdaAndThreeArraysOnly) {
  fs::create_directory(folder_);
  replace("features.npy", {1, 2, 1}, {1, 2});
  replace("mean.npy", {1, 2, 1}, {3, 4});
  replace("variance.npy", {1, 2, 1}, {5, 6});
  replace_json(R"({"lambda": 2})");
  const OutputsFolder folder = load_outputs(folder_);
  EXPECT_EQ(folder.prior_precision, 2);
  EXPECT_EQ(folder.outputs.mean[0], Matrix(2, 1, std::vector<double>{3, 4}));
  EXPECT_TRUE(folder.outputs.last_layer.empty());
  EXPECT_TRUE(folder.outputs.targets.empty());
}

TEST_F(OutputsFolderTest, ReplacesAnOlderEnsembleWhole) {
  MemberOutputs outputs = example_outputs({.hidden = {{3}, {5}}});
  outputs.targets = Matrix(6, 1, 0.25);
  save_example(outputs);
  std::ofstream(folder_ / "notes.npy.txt") << "mine";
  const MemberOutputs other = example_outputs();
  save_example(other);
  expect_same(load_outputs(folder_).outputs, other);
  EXPECT_TRUE(fs::exists(folder_ / "notes.npy.txt"));
}

TEST_F(OutputsFolderTest, KeepsTheArraysWhereOutputsJsonCannotBeRemoved) {
  save_example(example_outputs());
  fs::remove(folder_ / "outputs.json");
  fs::create_directories(folder_ / "outputs.json" / "not empty");
  const Thrown thrown = thrown_by([&] { save_example(example_outputs()); });
  EXPECT_EQ(thrown.code, ErrorCode::io);
  EXPECT_TRUE(thrown.sentence.starts_with((folder_ / "outputs.json: cannot remove: ").string())) << thrown.sentence;
  EXPECT_TRUE(fs::exists(folder_ / "features.npy"));
}

TEST_F(OutputsFolderTest, SaysWhichFileIsAbsent) {
  EXPECT_EQ(refusal(ErrorCode::io), "outputs.json: cannot open: no such file or folder");
  for (const std::string name : {"mean.npy", "features.npy", "variance.npy", "outputs.json"}) {
    save_example(example_outputs());
    fs::remove(folder_ / name);
    EXPECT_EQ(refusal(ErrorCode::io), name + ": cannot open: no such file or folder");
  }
}

TEST_F(OutputsFolderTest, SaysWhatIsWrongWithTheJson) {
  save_example(example_outputs());
  const auto refusal_of = [&](std::string_view text) {
    replace_json(text);
    return refusal();
  };
  EXPECT_EQ(refusal_of("{"), "outputs.json: its text is not valid JSON at byte 2");
  EXPECT_EQ(refusal_of("[]"), "outputs.json: the document is a list, expected an object");
  EXPECT_EQ(refusal_of("{}"), "outputs.json: lambda is missing");
  EXPECT_EQ(refusal_of(R"({"lambda":"evidence"})"), "outputs.json: lambda is text, expected a number");
  EXPECT_EQ(refusal_of(R"({"lambda":-1})"), "outputs.json: lambda is -1, expected a number that is not negative");
  EXPECT_EQ(refusal_of(R"({"lambda":1,"target_scales":[1,1]})"),
            "outputs.json: unknown key \"target_scales\"; did you mean target_scale?");
  EXPECT_EQ(refusal_of(R"({"lambda":1,"target_scale":[1]})"), "outputs.json: target_scale has 1 values, expected 2");
  EXPECT_EQ(refusal_of(R"({"lambda":1,"target_shift":[null,0]})"),
            "outputs.json: target_shift[0] is null, expected a number");
  EXPECT_EQ(refusal_of(R"({"lambda":1,"target_names":["a"]})"), "outputs.json: target_names has 1 names, expected 2");
  EXPECT_EQ(refusal_of(R"({"lambda":1,"member_weights":[1]})"),
            "outputs.json: member_weights has 1 values, expected 2");
}

TEST_F(OutputsFolderTest, SaysWhichArrayHasAnotherShape) {
  const auto refusal_of = [&](const std::string& name, const std::vector<std::size_t>& shape) {
    save_example(example_outputs());
    std::size_t count = 1;
    for (const std::size_t size : shape) count *= size;
    replace(name, shape, std::vector<double>(count, 1.0));
    return refusal();
  };
  EXPECT_EQ(refusal_of("mean.npy", {6, 2}), "mean.npy: its shape is [6, 2], expected [L, N, q]");
  EXPECT_EQ(refusal_of("mean.npy", {0, 6, 2}), "mean.npy: it has no members or no outputs");
  EXPECT_EQ(refusal_of("features.npy", {2, 5, 3}), "features.npy: its shape is [2, 5, 3], expected [2, 6, p]");
  EXPECT_EQ(refusal_of("features.npy", {2, 6, 0}), "features.npy: member 0 has no features, expected at least 1");
  EXPECT_EQ(refusal_of("variance.npy", {2, 6, 3}), "variance.npy: it has 3 columns, expected 2 or 1");
  EXPECT_EQ(refusal_of("targets.npy", {6, 1}), "targets.npy: its shape is [6, 1], expected [6, 2]");
  EXPECT_EQ(refusal_of("row_weights.npy", {5}), "row_weights.npy: its shape is [5], expected [6]");
  EXPECT_EQ(refusal_of("weights.npy", {2, 1, 3}), "weights.npy: its shape is [2, 1, 3], expected [2, 2, p]");
  EXPECT_EQ(refusal_of("weights.npy", {2, 2, 4}),
            "weights.npy: the weights of member 0 have 4 columns, expected 3 as in its features");
}

TEST_F(OutputsFolderTest, SaysWhereAValueIsUnusable) {
  const auto refusal_of = [&](const std::string& name, double value) {
    save_example(example_outputs());
    data::NpyArray array = test::read_npy(folder_ / name);
    array.values.back() = value;
    data::write_npy(folder_ / name, array);
    return refusal();
  };
  EXPECT_EQ(refusal_of("mean.npy", std::nan("")),
            "mean.npy: member 1: row 5, column 1 is nan, expected a finite number");
  EXPECT_EQ(refusal_of("features.npy", INFINITY),
            "features.npy: member 1: row 5, column 2 is inf, expected a finite number");
  EXPECT_EQ(refusal_of("variance.npy", -1),
            "variance.npy: member 1: row 5, column 1 is -1, expected a finite number above 0");
  EXPECT_EQ(refusal_of("variance.npy", 0),
            "variance.npy: member 1: row 5, column 1 is 0, expected a finite number above 0");
  EXPECT_EQ(refusal_of("weights.npy", std::nan("")),
            "weights.npy: member 1: row 1, column 2 is nan, expected a finite number");
  replace("row_weights.npy", {6}, {1, 1, 1, 1, 1, -1});
  replace("weights.npy", {2, 2, 3}, std::vector<double>(12, 0.0));
  EXPECT_EQ(refusal(), "row_weights.npy: value 5 is -1, expected a finite number that is not negative");
}

TEST_F(OutputsFolderTest, RefusesFilesThatContradictEachOther) {
  save_example(example_outputs());
  replace("features.0.npy", {6, 3}, std::vector<double>(18, 1.0));
  EXPECT_EQ(refusal(), "features.npy: it stands beside features.0.npy, expected one of the two");
  save_example(example_outputs({.hidden = {{3}, {5}}}));
  replace("features.2.npy", {6, 3}, std::vector<double>(18, 1.0));
  EXPECT_EQ(refusal(), "features.2.npy: mean.npy has 2 members only");
}

TEST_F(OutputsFolderTest, IsNotWrittenFromOutputsThatCouldNotBeRead) {
  MemberOutputs outputs = example_outputs();
  outputs.variance[0](0, 0) = -1;
  EXPECT_EQ(thrown_by([&] { save_example(outputs); }).code, ErrorCode::data);
  EXPECT_EQ(thrown_by([&] { save_outputs({example_outputs(), std::nan("")}, folder_); }).code, ErrorCode::usage);
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(OutputsFolderTest, SaysThatItIsAFile) {
  std::ofstream(folder_) << "a file";
  EXPECT_EQ(thrown_by([&] { save_example(example_outputs()); }).code, ErrorCode::io);
  EXPECT_EQ(thrown_by([&] { load_outputs(folder_); }).code, ErrorCode::io);
}

}  // namespace
}  // namespace credens::store
