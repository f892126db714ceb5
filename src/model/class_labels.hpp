// SPDX-License-Identifier: Apache-2.0
//
// Labels of classes as arrays have them: numbers of classes [n x 1], or counts or shares of the classes [n x C].

#pragma once

#include <credens/matrix.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace credens::model {

/// Throws data unless there are as many classes as a model may have. `name` is what sentences call their logits.
void check_class_count(std::size_t classes, std::string_view name);

/// Throws data for a number that is no class, for counts that are negative or all 0 in a row, and for what is not
/// finite. `name` is what sentences call the labels, `first_row` how they count the first row.
void check_labels(MatrixView labels, std::size_t classes, std::string_view name, std::size_t first_row = 0);

/// Numbers of classes or shares with the sum 1, and the weights of their rows.
struct WeightedLabels {
  Matrix labels;
  std::vector<double> weights;  ///< none where no row was weighted
};

/// A row of counts weighs as much as their sum, on top of its weight in `weights` [n] or none. A sum that rounding
/// alone tells from 1 is that of shares, which count once. The labels have passed check_labels.
WeightedLabels weighted_labels(MatrixView labels, std::span<const double> weights);

}  // namespace credens::model
