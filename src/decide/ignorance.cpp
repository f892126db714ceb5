// SPDX-License-Identifier: Apache-2.0

#include "decide/ignorance.hpp"

#include <cmath>

#include "model/ensemble_state.hpp"

namespace credens::decide {

std::vector<double> standardised_ignorance(const Ensemble& ensemble, const Predictive& predictive) {
  const std::vector<double>& scale = ensemble.state().target_scaler.scale;
  const Matrix variance = predictive.epistemic_variance();
  std::vector<double> ignorance(predictive.rows());
  for (std::size_t row = 0; row < ignorance.size(); ++row) {
    double sum = 0;
    for (std::size_t k = 0; k < scale.size(); ++k) sum += variance(row, k) / scale[k] / scale[k];
    ignorance[row] = std::sqrt(sum / static_cast<double>(scale.size()));
  }
  return ignorance;
}

}  // namespace credens::decide
