// SPDX-License-Identifier: Apache-2.0
//
// Outputs folders of members that predict classes.

#include <credens/outputs_folder.hpp>
#include <credens/store.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include "base/file.hpp"
#include "data/npy.hpp"
#include "support/read_npy.hpp"
#include "unit/store/example_ensembles.hpp"

namespace credens::store {
namespace {

namespace fs = std::filesystem;

Matrix ramp(std::size_t rows, std::size_t cols, double slope) {
  Matrix values(rows, cols);
  for (std::size_t i = 0; i < rows * cols; ++i) values.values()[i] = slope * static_cast<double>(i % 11);
  return values;
}

MemberOutputs class_outputs(std::vector<std::size_t> features = {3, 3}) {
  MemberOutputs outputs{.targets = Matrix(6, 1, {0, 1, 2, 2, 1, 0}),
                        .row_weights = {1, 2, 0, 0.5, 1, 1},
                        .member_weights = {0.25, 0.75},
                        .target_names = {"species"},
                        .classes = {"fern", "moss", "reed"}};
  for (std::size_t l = 0; l < features.size(); ++l) {
    const double slope = 0.1 * static_cast<double>(l + 1);
    outputs.features.push_back(ramp(6, features[l], slope));
    outputs.logits.push_back(ramp(6, 3, slope + 1));
    outputs.last_layer.push_back(ramp(3, features[l], slope));
  }
  return outputs;
}

void expect_same(const MemberOutputs& a, const MemberOutputs& b) {
  EXPECT_EQ(a.features, b.features);
  EXPECT_EQ(a.logits, b.logits);
  EXPECT_TRUE(a.mean.empty());
  EXPECT_TRUE(a.variance.empty());
  EXPECT_EQ(a.targets, b.targets);
  EXPECT_EQ(a.last_layer, b.last_layer);
  EXPECT_EQ(a.row_weights, b.row_weights);
  EXPECT_EQ(a.member_weights, b.member_weights);
  EXPECT_EQ(a.target_names, b.target_names);
  EXPECT_EQ(a.classes, b.classes);
  EXPECT_EQ(a.has_number_classes, b.has_number_classes);
}

class ClassOutputsFolderTest : public testing::Test {
 protected:
  void replace(const std::string& name, std::vector<std::size_t> shape, double value) {
    std::size_t count = 1;
    for (const std::size_t size : shape) count *= size;
    data::write_npy(folder_ / name, {std::move(shape), std::vector<double>(count, value)});
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

TEST_F(ClassOutputsFolderTest, ReadsBackWhatItWrote) {
  MemberOutputs numbers = class_outputs();
  numbers.classes = {"3", "5", "8"};
  numbers.has_number_classes = true;
  MemberOutputs counts = class_outputs();
  counts.targets = ramp(6, 3, 1);
  MemberOutputs bare{.features = class_outputs().features, .logits = class_outputs().logits};
  for (const MemberOutputs& outputs : {class_outputs(), class_outputs({3, 5}), numbers, counts, bare}) {
    save_outputs({outputs, 0.1}, folder_);
    const OutputsFolder again = load_outputs(folder_);
    expect_same(again.outputs, outputs);
    EXPECT_EQ(again.prior_precision, 0.1);
  }
}

TEST_F(ClassOutputsFolderTest, WritesTheArraysOfTheContract) {
  save_outputs({class_outputs(), 0.1}, folder_);
  EXPECT_EQ(test::read_npy(folder_ / "features.npy").shape, (std::vector<std::size_t>{2, 6, 3}));
  EXPECT_EQ(test::read_npy(folder_ / "logits.npy").shape, (std::vector<std::size_t>{2, 6, 3}));
  EXPECT_EQ(test::read_npy(folder_ / "targets.npy").shape, (std::vector<std::size_t>{6}));
  EXPECT_EQ(test::read_npy(folder_ / "weights.npy").shape, (std::vector<std::size_t>{2, 3, 3}));
  EXPECT_FALSE(fs::exists(folder_ / "mean.npy"));
  EXPECT_FALSE(fs::exists(folder_ / "variance.npy"));
}

TEST_F(ClassOutputsFolderTest, TakesNumbersOfClassesInOneColumnToo) {
  save_outputs({class_outputs(), 0.1}, folder_);
  data::write_npy(folder_ / "targets.npy", {{6, 1}, {0, 1, 2, 2, 1, 0}});
  EXPECT_EQ(load_outputs(folder_).outputs.targets, class_outputs().targets);
}

TEST_F(ClassOutputsFolderTest, ReplacesAFolderOfNumbersWhole) {
  const Ensemble ensemble = example_ensemble({.outputs = 2});
  const MemberOutputs numbers = ensemble.member_outputs(example_inputs(6, ensemble.inputs()));
  save_outputs({numbers, 0.1}, folder_);
  save_outputs({class_outputs(), 0.1}, folder_);
  expect_same(load_outputs(folder_).outputs, class_outputs());
  save_outputs({numbers, 0.1}, folder_);
  EXPECT_EQ(load_outputs(folder_).outputs.mean, numbers.mean);
  EXPECT_FALSE(fs::exists(folder_ / "logits.npy"));
}

TEST_F(ClassOutputsFolderTest, NeedsLambdaLikelihoodAndTwoArraysOnly) {
  fs::create_directory(folder_);
  replace("features.npy", {1, 2, 1}, 1);
  replace("logits.npy", {1, 2, 2}, 3);
  replace_json(R"({"lambda": 2, "likelihood": "softmax"})");
  const OutputsFolder folder = load_outputs(folder_);
  EXPECT_EQ(folder.outputs.logits[0], Matrix(2, 2, 3.0));
  EXPECT_TRUE(folder.outputs.classes.empty());
}

TEST_F(ClassOutputsFolderTest, SaysWhatIsWrongWithTheJson) {
  save_outputs({class_outputs(), 0.1}, folder_);
  const auto refusal_of = [&](const std::string& rest) {
    replace_json("{\"lambda\": 1, \"likelihood\": \"softmax\"" + rest + "}");
    return refusal();
  };
  EXPECT_EQ(refusal_of(R"(, "target_scale": [1, 1, 1])"),
            "outputs.json: target_scale is given, but likelihood is softmax");
  EXPECT_EQ(refusal_of(R"(, "target_shift": [1])"), "outputs.json: target_shift is given, but likelihood is softmax");
  EXPECT_EQ(refusal_of(R"(, "classes": ["a", "b"])"), "outputs.json: classes has 2 names, expected 3");
  EXPECT_EQ(refusal_of(R"(, "classes": ["a", "b", "a"])"), "outputs.json: classes has \"a\" twice");
  EXPECT_EQ(refusal_of(R"(, "classes": [1, 2, 3])"), "outputs.json: classes[0] is a whole number, expected text");
  EXPECT_EQ(refusal_of(R"(, "classes": ["1", "2", "b"], "class_type": "number")"),
            "outputs.json: classes has the name \"b\", expected a number as its type says");
  EXPECT_EQ(refusal_of(R"(, "class_type": "word")"), "outputs.json: class_type is \"word\", expected text or number");
  EXPECT_EQ(refusal_of(R"(, "target_names": ["a", "b", "c"])"),
            "outputs.json: target_names has 3 names, expected one for all classes");
  replace_json(R"({"lambda": 1, "likelihood": "poisson"})");
  EXPECT_EQ(refusal(), "outputs.json: likelihood is \"poisson\", expected gaussian or softmax");
  replace_json(R"({"lambda": 1, "likelihood": 3})");
  EXPECT_EQ(refusal(), "outputs.json: likelihood is a whole number, expected text");
  replace_json(R"({"lambda": 1, "classes": ["a", "b", "c"]})");
  EXPECT_EQ(refusal(), "outputs.json: classes is given, but likelihood is not softmax");
  replace_json(R"({"lambda": 1})");
  EXPECT_EQ(refusal(), "logits.npy: the likelihood in outputs.json is not softmax, expected mean.npy and variance.npy");
}

TEST_F(ClassOutputsFolderTest, SaysWhichArrayIsWrong) {
  const auto refusal_of = [&](const std::string& name, const std::vector<std::size_t>& shape, double value = 1) {
    save_outputs({class_outputs(), 0.1}, folder_);
    replace(name, shape, value);
    return refusal();
  };
  EXPECT_EQ(refusal_of("mean.npy", {2, 6, 3}),
            "mean.npy: the likelihood in outputs.json is softmax, expected logits.npy alone");
  fs::remove(folder_ / "mean.npy");
  EXPECT_EQ(refusal_of("variance.npy", {2, 6, 1}),
            "variance.npy: the likelihood in outputs.json is softmax, expected logits.npy alone");
  fs::remove(folder_ / "variance.npy");
  EXPECT_EQ(refusal_of("logits.npy", {6, 3}), "logits.npy: its shape is [6, 3], expected [L, N, C]");
  EXPECT_EQ(refusal_of("logits.npy", {2, 6, 1}), "logits.npy: it has 1 column, expected one for each class, 2 to 1000");
  EXPECT_EQ(refusal_of("logits.npy", {2, 6, 3}, NAN),
            "logits.npy: member 0: row 0, column 0 is nan, expected a finite number");
  EXPECT_EQ(refusal_of("features.npy", {2, 5, 3}), "features.npy: its shape is [2, 5, 3], expected [2, 6, p]");
  EXPECT_EQ(refusal_of("targets.npy", {5}), "targets.npy: it has 5 rows, expected 6");
  EXPECT_EQ(refusal_of("targets.npy", {6, 2}), "targets.npy: its shape is [6, 2], expected [6, 3]");
  EXPECT_EQ(refusal_of("targets.npy", {6}, 3), "targets.npy: row 0 is 3, expected the number of a class, 0 to 2");
  EXPECT_EQ(refusal_of("targets.npy", {6}, NAN), "targets.npy: row 0, column 0 is nan, expected a finite number");
  EXPECT_EQ(refusal_of("targets.npy", {6, 3}, -1),
            "targets.npy: row 0, class 0 is -1, expected a count or a share, from 0");
  EXPECT_EQ(refusal_of("targets.npy", {6, 3}, 0),
            "targets.npy: row 0 has the sum 0, expected a count or a share above 0");
  EXPECT_EQ(refusal_of("weights.npy", {2, 2, 3}), "weights.npy: its shape is [2, 2, 3], expected [2, 3, p]");
  save_outputs({class_outputs(), 0.1}, folder_);
  fs::remove(folder_ / "logits.npy");
  EXPECT_EQ(refusal(ErrorCode::io), "logits.npy: cannot open: no such file or folder");
}

}  // namespace
}  // namespace credens::store
