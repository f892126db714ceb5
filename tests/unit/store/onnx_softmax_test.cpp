// SPDX-License-Identifier: Apache-2.0
//
// The structure and the constants of graphs for classes. tests/onnx holds their numbers against `credens predict` in
// ONNX Runtime, and tests/unit/math the rule against fine integrals.

#include "store/onnx_softmax.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "store/onnx_export.hpp"
#include "unit/store/example_ensembles.hpp"
#include "unit/store/onnx_reader.hpp"

namespace credens::store {
namespace {

ReadGraph graph_of(const Example& example) {
  return read_graph(encode_onnx(example_ensemble(example)));
}

TEST(OnnxSoftmax, OfNoVarianceIsASoftmaxAlone) {
  const ReadGraph graph = graph_of({.posterior = PosteriorKind::delta, .classes = 3});
  EXPECT_TRUE(graph.bodies.empty());
  EXPECT_EQ(graph.count("Exp"), 1U);
}

TEST(OnnxSoftmax, IntegratesInOneBodyForAllMembers) {
  const Example two{.hidden = {{3}, {4, 3}}, .classes = 3};
  Example five = two;
  five.members = {0, 1, 2, 3, 4};
  five.total_members = 5;
  const ReadGraph small = graph_of(two);
  const ReadGraph large = graph_of(five);
  ASSERT_EQ(large.bodies.size(), 1U);
  EXPECT_EQ(large.nodes.size(), small.nodes.size());
}

TEST(OnnxSoftmax, TakesFewerRowsAtATimeWhereThereAreMoreClasses) {
  for (const auto& [classes, rows] : {std::pair<std::int64_t, std::int64_t>{2, 40}, {10, 8}, {100, 1}, {1000, 1}}) {
    const ReadGraph graph = graph_of({.classes = static_cast<std::size_t>(classes)});
    const std::vector<std::vector<std::int64_t>> shapes = {{rows, classes}, {rows, 1}};
    EXPECT_EQ(graph.bodies.at(0).input_shapes, shapes);
  }
}

TEST(OnnxSoftmax, WeighsTheNoiseAsANormalDistribution) {
  const ReadGraph body = graph_of({.classes = 2}).bodies.at(0);
  const std::vector<double> weights = body.constant_called("block_noise_weights").values<double>();
  const std::vector<double> places = body.constant_called("block_noise").values<double>();
  ASSERT_EQ(weights.size(), places.size());
  double variance = 0;
  for (std::size_t q = 0; q < places.size(); ++q) variance += weights[q] * places[q] * places[q];
  EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-15);
  EXPECT_NEAR(std::inner_product(weights.begin(), weights.end(), places.begin(), 0.0), 0, 1e-15);
  EXPECT_NEAR(variance, 1, 1e-5);
}

TEST(OnnxSoftmax, DoublesAlongChainsToNodesOfEqualSteps) {
  const ReadGraph body = graph_of({.classes = 2}).bodies.at(0);
  const std::vector<double> doublings = body.constant_called("block_doublings").values<double>();
  std::vector<double> steps;
  for (const OnnxTensor& starts : body.constants_called("block_chain_starts")) {
    std::vector<double> nodes;
    for (const double start : starts.values<double>()) {
      for (const double power : doublings) nodes.push_back(-std::log(start * power));
    }
    std::ranges::sort(nodes);
    ASSERT_EQ(nodes.size(), 80U);
    steps.push_back(nodes[1] - nodes[0]);
    for (std::size_t j = 0; j < nodes.size(); ++j) EXPECT_NEAR(nodes[j], steps.back() * static_cast<double>(j), 1e-12);
  }
  std::ranges::sort(steps);
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_NEAR(steps[0], std::numbers::ln2 / 2, 1e-15);
  EXPECT_NEAR(steps[1], std::numbers::ln2, 1e-15);
}

}  // namespace
}  // namespace credens::store
