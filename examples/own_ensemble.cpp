// SPDX-License-Identifier: Apache-2.0
//
// Step 2 alone: networks trained elsewhere are widened from arrays. Here "elsewhere" is a few lines of made-up numbers.

#include <credens/credens.hpp>

#include <cmath>
#include <iostream>

using namespace credens;

// The arrays that another framework would hand over: two members, at rows x, in the units the networks were trained in.
MemberOutputs outputs_at(const std::vector<double>& x) {
  MemberOutputs outputs;
  for (const double slope : {1.0, 1.1}) {
    Matrix features(x.size(), 2), mean(x.size(), 1), variance(x.size(), 1);
    for (std::size_t i = 0; i < x.size(); ++i) {
      features(i, 0) = x[i];
      features(i, 1) = std::tanh(x[i]);
      mean(i, 0) = slope * features(i, 0) + 0.2 * features(i, 1);
      variance(i, 0) = 0.01 + 0.1 * x[i] * x[i];
    }
    outputs.features.push_back(features);
    outputs.mean.push_back(mean);
    outputs.variance.push_back(variance);
  }
  return outputs;
}

std::vector<std::vector<double>> pieces_of(const std::vector<double>& x) {
  return {{x.begin(), x.begin() + 4}, {x.begin() + 4, x.end()}};
}

int main() {
  const std::vector<double> training = {-1.0, -0.8, -0.5, -0.1, 0.0, 0.2, 0.4, 0.9, 1.0};
  const Ensemble wide = widen(outputs_at(training), {.prior_precision = 1.0});

  const Predictive p = wide.predict(outputs_at({0.5, 5.0}));
  for (std::size_t row = 0; row < p.rows(); ++row) {
    std::cout << "mean " << p.mean()(row, 0) << ", ignorance " << std::sqrt(p.epistemic_variance()(row, 0))
              << ", of which classical " << std::sqrt(p.classical().epistemic_variance()(row, 0)) << "\n";
  }

  // Any number of rows: they come in pieces, and how they are cut does not change the result.
  OutputsWidening widening({.prior_precision = 1.0});
  for (const std::vector<double>& piece : pieces_of(training)) widening.add(outputs_at(piece));
  const Ensemble same = widening.finish();
  std::cout << "from pieces: " << (same.gamma() == wide.gamma() ? "the same" : "different") << "\n";
}
