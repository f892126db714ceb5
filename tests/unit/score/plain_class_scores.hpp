// SPDX-License-Identifier: Apache-2.0
//
// Every score of classes as a plain slow loop, in the words of docs/method.md.

#pragma once

#include <credens/class_score.hpp>

namespace credens::scoring {

/// Labels or whole counts; `copies[i]` counts row i that many times.
ClassScores plain_class_scores(const ClassPredictive& predictive, const Matrix& targets,
                               const std::vector<std::size_t>& copies, RiskOrder order);

Matrix plain_confusion(const ClassPredictive& predictive, const Matrix& targets,
                       const std::vector<std::size_t>& copies);

/// Share of pairs of which `above` has the larger value, ties at half.
double plain_auroc(const std::vector<double>& above, const std::vector<double>& below);

}  // namespace credens::scoring
