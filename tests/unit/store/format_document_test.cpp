// SPDX-License-Identifier: Apache-2.0
//
// docs/model-format.md is executed: its Python reads what the library writes, and the other way round.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <credens/store.hpp>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

#include "base/file.hpp"
#include "base/text.hpp"
#include "model/names.hpp"
#include "unit/store/example_ensembles.hpp"

namespace credens::store {
namespace {

/// The Python code of the document, block by block.
std::vector<std::string> code_blocks() {
  std::istringstream document(base::read_file(CREDENS_TEST_DATA "/../docs/model-format.md"));
  std::vector<std::string> blocks;
  bool inside = false;
  for (std::string line; std::getline(document, line);) {
    if (line == "```python") blocks.emplace_back();
    if (inside && line != "```") blocks.back() += line + "\n";
    inside = line == "```python" || (inside && line != "```");
  }
  return blocks;
}

bool runs(const std::string& command) {
  return std::system((command + " 2>/dev/null").c_str()) == 0;  // NOLINT(concurrency-mt-unsafe): one thread
}

std::optional<std::string> python_with_numpy() {
  for (const std::string python : {"python3", "/usr/bin/python3"}) {
    if (runs(python + " -c 'import numpy'")) return python;
  }
  return std::nullopt;
}

class FormatDocument : public testing::Test {
 protected:
  void SetUp() override {
    if (!python_) GTEST_SKIP() << "skipped: no python3 that can import numpy";
    ASSERT_EQ(blocks_.size(), 4U) << "the document has a reader, a predictor and two writers of outputs";
  }

  /// Runs the lines in the temporary folder; what they print.
  std::string run(const std::string& script) {
    base::write_file(folder_ / "script.py", script);
    const std::string command = fmt::format("cd '{}' && {} script.py > printed", folder_.path().string(), *python_);
    EXPECT_EQ(std::system(command.c_str()), 0) << script;  // NOLINT(concurrency-mt-unsafe): one thread
    return base::read_file(folder_ / "printed");
  }

  /// Mean, aleatoric and epistemic variance by the document's own code.
  std::vector<double> python_prediction(const Ensemble& ensemble, const Matrix& inputs) {
    save(ensemble, folder_ / "model.safetensors");
    std::string rows;
    for (std::size_t i = 0; i < inputs.rows(); ++i) rows += fmt::format("[{}],", fmt::join(inputs.row(i), ","));
    const std::string printed = run(blocks_[0] + blocks_[1] +
                                    "document, tensors = read_model('model.safetensors')\n"
                                    "for moment in predict(document, tensors, numpy.array([" +
                                    rows +
                                    "])):\n"
                                    "    for value in moment.flat: print(repr(float(value)))\n");
    std::vector<double> values;
    for (const std::string& line : base::split(base::trim(printed), '\n')) {
      values.push_back(base::parse_double(line).value());
    }
    return values;
  }

  TemporaryFolder folder_;
  std::optional<std::string> python_ = python_with_numpy();
  std::vector<std::string> blocks_ = code_blocks();
};

void expect_prediction(const Ensemble& ensemble, const Matrix& inputs, const std::vector<double>& values) {
  const Predictive predictive = ensemble.predict(inputs);
  std::vector<double> expected;
  for (const Matrix& moment : {predictive.mean(), predictive.aleatoric_variance(), predictive.epistemic_variance()}) {
    expected.insert(expected.end(), moment.values().begin(), moment.values().end());
  }
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i], expected[i], 1e-5 * (1 + std::abs(expected[i]))) << i;
  }
}

TEST_F(FormatDocument, ReadsEveryRung) {
  const Matrix inputs = example_inputs(3, 2);
  for (const PosteriorKind posterior :
       {PosteriorKind::delta, PosteriorKind::isotropic, PosteriorKind::diagonal, PosteriorKind::full}) {
    SCOPED_TRACE(base::name_of(posterior));
    const Ensemble ensemble = example_ensemble({.posterior = posterior, .outputs = 2, .weights = {0.25, 0.75}});
    expect_prediction(ensemble, inputs, python_prediction(ensemble, inputs));
  }
}

TEST_F(FormatDocument, ReadsEveryActivationAndDifferentShapes) {
  const Matrix inputs = example_inputs(3, 2);
  const Ensemble ensemble = example_ensemble(
      {.posterior = PosteriorKind::full,
       .noise = NoiseKind::per_output,
       .link = NoiseLink::exp,
       .random_bias = true,
       .outputs = 2,
       .hidden = {{4}, {2, 3}, {}},
       .activations = {Activation::relu, Activation::tanh, Activation::silu, Activation::gelu, Activation::elu},
       .members = {0, 1, 2, 3, 4},
       .total_members = 5});
  expect_prediction(ensemble, inputs, python_prediction(ensemble, inputs));
}

TEST_F(FormatDocument, ReadsEmbeddedInputs) {
  const Matrix inputs = example_inputs(3, 2);
  const Ensemble ensemble = example_ensemble(
      {.outputs = 2, .hidden = {{4}, {}, {3, 5}}, .members = {0, 1, 2}, .total_members = 3, .frequencies = {3, 1, 0}});
  expect_prediction(ensemble, inputs, python_prediction(ensemble, inputs));
}

TEST_F(FormatDocument, ReadsBentInputs) {
  const Matrix inputs = example_inputs(3, 3);
  const Ensemble ensemble = example_ensemble({.inputs = 3, .frequencies = {1}, .bent = true});
  expect_prediction(ensemble, inputs, python_prediction(ensemble, inputs));
}

TEST_F(FormatDocument, ReadsConstantNoise) {
  const Matrix inputs = example_inputs(3, 2);
  const Ensemble ensemble = example_ensemble({.noise = NoiseKind::constant, .outputs = 2});
  expect_prediction(ensemble, inputs, python_prediction(ensemble, inputs));
}

TEST_F(FormatDocument, WritesAnOutputsFolder) {
  run("import os\nos.mkdir('outputs')\n" + blocks_[0] +
      "features = numpy.arange(12, dtype='f4').reshape(2, 3, 2)\n"
      "mean = numpy.ones((2, 3, 1))\nvariance = numpy.full((2, 3, 1), 0.5)\n" +
      blocks_[2]);
  const OutputsFolder folder = load_outputs(folder_ / "outputs");
  EXPECT_EQ(folder.prior_precision, 1);
  EXPECT_EQ(folder.outputs.features.at(1), Matrix(3, 2, std::vector<double>{6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(folder.outputs.target_names, std::vector<std::string>{"strength"});
}

TEST_F(FormatDocument, WritesAnOutputsFolderOfClasses) {
  run("import os\nos.mkdir('outputs')\n" + blocks_[0] +
      "features = numpy.arange(12, dtype='f4').reshape(2, 3, 2)\n"
      "logits = numpy.ones((2, 3, 3))\nlabels = numpy.array([2, 0, 1])\n" +
      blocks_[3]);
  const OutputsFolder folder = load_outputs(folder_ / "outputs");
  EXPECT_EQ(folder.outputs.logits.at(1), Matrix(3, 3, 1.0));
  EXPECT_EQ(folder.outputs.targets, Matrix(3, 1, std::vector<double>{2, 0, 1}));
  EXPECT_EQ(folder.outputs.classes, (std::vector<std::string>{"fern", "moss", "reed"}));
}

}  // namespace
}  // namespace credens::store
