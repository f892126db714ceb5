// SPDX-License-Identifier: Apache-2.0
//
// Class probabilities from logits and their variances, whoever computed them.

#pragma once

#include <credens/class_predictive.hpp>
#include <credens/matrix.hpp>

#include <span>
#include <vector>

namespace credens::model {

/// One member at n rows.
struct LogitRows {
  MatrixView logits;                 ///< [n x C]
  std::span<const double> variance;  ///< e = phi^T Sigma phi, n values >= 0, or none: all 0
};

/// The mixture of members with these weights (>= 0, any sum). Throws data where shapes disagree or a value cannot be
/// used.
ClassPredictive class_predictive_of(std::span<const LogitRows> members, const std::vector<double>& weights,
                                    int threads);

}  // namespace credens::model
