// SPDX-License-Identifier: Apache-2.0
//
// Logits to test with, and the moments that SoftmaxNormal finds for them.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "math/softmax_normal.hpp"

namespace credens::math {

struct FoundMoments {
  std::vector<double> probability;
  std::vector<double> square;
  double entropy = 0;

  double information() const { return math::entropy(probability) - entropy; }
  bool operator==(const FoundMoments&) const = default;
};

inline FoundMoments found_moments(SoftmaxNormal& softmax, std::span<const double> logits, double variance) {
  FoundMoments found{std::vector<double>(logits.size()), std::vector<double>(logits.size())};
  found.entropy = softmax.run(logits, variance, found.probability, found.square);
  return found;
}

inline FoundMoments found_moments(std::span<const double> logits, double variance) {
  SoftmaxNormal softmax(logits.size());
  return found_moments(softmax, logits, variance);
}

inline std::vector<double> random_logits(std::size_t classes, double std, std::uint64_t seed) {
  base::RandomStream random({.seed = seed, .member = classes});
  std::vector<double> logits(classes);
  for (double& logit : logits) logit = std * random.normal();
  return logits;
}

/// Variances of every kind: none, expanded, with few nodes, with a grid, and scaled.
inline const std::vector<double> variances_of_all_kinds = {0,   1e-9, 1e-3, 0.002, 0.015, 0.03, 0.07, 0.08, 0.2,
                                                           0.5, 0.9,  1.3,  2,     4,     7.5,  10,   11,   300};

}  // namespace credens::math
