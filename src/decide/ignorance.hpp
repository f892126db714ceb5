// SPDX-License-Identifier: Apache-2.0
//
// The ignorance of a row as one number, whatever the units of the outputs.

#pragma once

#include <credens/ensemble.hpp>

#include <vector>

namespace credens::decide {

/// sqrt(mean_k e_k / s_k^2) for each row, with e_k the epistemic variance of output k and s_k the scale of its target in
/// training.
std::vector<double> standardised_ignorance(const Ensemble& ensemble, const Predictive& predictive);

}  // namespace credens::decide
