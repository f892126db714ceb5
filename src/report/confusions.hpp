// SPDX-License-Identifier: Apache-2.0
//
// Readings of a confusion matrix: which classes are taken for which, and the scores of a constant prediction.

#pragma once

#include <credens/matrix.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "report/page.hpp"

namespace credens::report {

/// Rows of one class that were predicted as another one.
struct Confusion {
  std::size_t observed = 0;
  std::size_t predicted = 0;
  double weight = 0;
  double share = 0;  ///< of the rows of the observed class
};

/// The largest ones, largest first, at most `most`; equal ones in the order of the classes.
std::vector<Confusion> largest_confusions(const Matrix& confusion, std::size_t most);

/// At most `most` classes, in their order: those with the largest weight of rows that were taken for another class or
/// are of another class, of equal ones those with more rows.
std::vector<std::size_t> most_confused_classes(const Matrix& confusion, std::size_t most);

/// Scores of the best constant prediction for the observed classes: their shares, and the most frequent one.
struct ConstantScores {
  double log_loss = 0;
  double accuracy = 0;
};

ConstantScores constant_scores(const Matrix& confusion);

/// The matrix as a map, of at most 20 classes.
Figure confusion_figure(const Matrix& confusion, std::span<const std::string> names);

/// Rows that are of each class and that are predicted as such, of at most 20 classes; and, of more than 12 classes,
/// the largest confusions.
std::vector<Table> confusion_tables(const Matrix& confusion, std::span<const std::string> names);

/// Whole numbers as such, weights of other rows with four digits.
std::string weight_text(double weight);

}  // namespace credens::report
