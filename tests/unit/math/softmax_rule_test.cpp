// SPDX-License-Identifier: Apache-2.0
//
// The rule of exported graphs (store/onnx_softmax.cpp) in plain loops, against integrals with fine steps.

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "plain_softmax_normal.hpp"

namespace credens::math {
namespace {

/// The errors that docs/onnx.md promises for graphs: of a probability, and of ignorance.
struct GraphErrors {
  double probability;
  double information;
};

GraphErrors allowed_in_graphs(double variance) {
  if (variance <= 2) return {1e-7, 1e-6};
  if (variance <= 3) return {1e-6, 5e-6};
  return variance <= 6 ? GraphErrors{1e-5, 5e-5} : GraphErrors{1e-4, 5e-4};
}

TEST(SoftmaxRule, IsTheFineIntegral) {
  for (const std::size_t classes : {2, 3, 10, 100}) {
    for (const double std : {0.0, 2.0, 5.0}) {
      base::RandomStream random({.seed = 5 * classes});
      std::vector<double> logits(classes);
      for (double& z : logits) z = std * random.normal();
      for (const double variance : {0.0011, 0.01, 0.1, 1.0, 2.0, 2.99, 3.01, 6.0, 10.0}) {
        const plain::SoftmaxMoments rule = plain::softmax_rule(logits, variance);
        const plain::SoftmaxMoments exact = plain::softmax_normal(logits, variance);
        const GraphErrors allowed = allowed_in_graphs(variance);
        for (std::size_t c = 0; c < classes; ++c) {
          EXPECT_NEAR(rule.probability[c], exact.probability[c], allowed.probability) << classes << " " << variance;
          EXPECT_NEAR(rule.square[c], exact.square[c], 10 * allowed.probability);
        }
        EXPECT_NEAR(rule.information(), exact.information(), allowed.information) << classes << " " << variance;
      }
    }
  }
}

}  // namespace
}  // namespace credens::math
