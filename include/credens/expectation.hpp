// SPDX-License-Identifier: Apache-2.0
//
// Scores that new rows may expect of a model, found from training rows that were held out of some of its members.

#pragma once

#include <cstddef>
#include <vector>

namespace credens {

/// A number found from some rows, and the standard error that it has because there were no more.
struct Estimate {
  double value = 0;
  double standard_error = 0;
};

/// Scores of one output, in the units of the data. docs/method.md says how each is found.
struct OutputExpectation {
  Estimate rmse;
  Estimate r2;
  Estimate mae;
  Estimate crps;
  Estimate nll;            ///< of the output's marginal distribution, in nats per row
  Estimate coverage;       ///< share of the observations inside the Gaussian intervals of `Expectation::level`
  Estimate aleatoric_std;  ///< noise: root of the mean aleatoric variance
  Estimate epistemic_std;  ///< ignorance: root of the mean epistemic variance
};

struct Expectation {
  std::size_t rows = 0;  ///< held-out rows that it was found from
  double level = 0.95;   ///< of the intervals
  Estimate nll;          ///< joint over outputs, in nats per row
  std::vector<OutputExpectation> outputs;
};

/// Scores that new rows may expect of a classification. Entropies and log loss are in nats per row.
struct ClassExpectation {
  std::size_t rows = 0;  ///< held-out rows that it was found from
  Estimate accuracy;
  Estimate log_loss;
  Estimate brier;
  Estimate aleatoric;  ///< noise: mean expected entropy
  Estimate epistemic;  ///< ignorance: mean mutual information of label and weights
};

}  // namespace credens
