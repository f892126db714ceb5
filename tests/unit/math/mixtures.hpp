// SPDX-License-Identifier: Apache-2.0
//
// Mixtures to test with.

#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "math/mixture.hpp"

namespace credens::math {

struct Mixture {
  std::vector<double> weight;
  std::vector<double> mean;
  std::vector<double> std;

  operator MixtureView() const { return {weight, mean, std}; }
};

inline void make_sum_one(std::vector<double>& weights) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  for (double& weight : weights) weight /= sum;
}

inline Mixture scaled(Mixture mixture, double factor) {
  for (double& mean : mixture.mean) mean *= factor;
  for (double& std : mixture.std) std *= factor;
  return mixture;
}

inline Mixture permuted(const Mixture& mixture, std::uint64_t seed) {
  base::RandomStream random({.seed = seed});
  Mixture result;
  for (const std::uint32_t l : base::permutation(mixture.weight.size(), random)) {
    result.weight.push_back(mixture.weight[l]);
    result.mean.push_back(mixture.mean[l]);
    result.std.push_back(mixture.std[l]);
  }
  return result;
}

/// One to `most` components; some have weight 0, means lie within +-250, standard deviations between 1/64 and 16.
inline Mixture arbitrary_mixture(std::size_t most = 12) {
  const auto size = *rc::gen::inRange<std::size_t>(1, most + 1);
  Mixture mixture;
  for (std::size_t l = 0; l < size; ++l) {
    mixture.weight.push_back(l == 0 ? 1 : *rc::gen::inRange(0, 20));
    mixture.mean.push_back(*rc::gen::inRange(-4000, 4000) / 16.0);
    mixture.std.push_back(*rc::gen::inRange(1, 1024) / 64.0);
  }
  make_sum_one(mixture.weight);
  return mixture;
}

}  // namespace credens::math
