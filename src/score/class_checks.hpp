// SPDX-License-Identifier: Apache-2.0
//
// Guards for class probabilities and for the labels or counts that they are compared with.

#pragma once

#include <credens/class_predictive.hpp>

#include <span>

namespace credens::scoring {

/// Throws data unless probabilities lie between 0 and 1 and the rows' entropies are finite, one of each kind per row.
void check_class_predictive(const ClassPredictive& predictive);

/// Throws data unless targets are [rows x 1] class indices or [rows x classes] counts with positive sums.
void check_class_targets(MatrixView targets, std::size_t rows, std::size_t classes);

/// 1 - largest probability; not below 0, though the sum of a mixture's weights is rounded.
double doubt_at(const ClassPredictive& predictive, std::size_t row);

double sum_of(std::span<const double> counts);

}  // namespace credens::scoring
